'use strict';
(function () {
  const most = 20; // rows that are shown
  const element = (id) => document.getElementById(id);
  const input = element('file'), drop = element('drop'), status = element('status');
  const model = bytes('model');

  // bytes decodes the base64 text of a template.
  function bytes(id) {
    return Uint8Array.from(atob(element(id).content.textContent), (c) => c.charCodeAt(0));
  }

  function say(text, failed) {
    status.textContent = text;
    status.className = failed ? 'error' : '';
  }

  // records splits the first lines of CSV as the program writes it: quotes only where they are needed, "" for one within them.
  function records(csv, count) {
    const rows = [[]];
    let at = 0;
    while (at < csv.length) {
      let cell = '';
      if (csv[at] === '"') {
        let end = at + 1;
        while (csv[end] !== '"' || csv[end + 1] === '"') end += csv[end] === '"' ? 2 : 1;
        cell = csv.slice(at + 1, end).replaceAll('""', '"');
        at = end + 1;
      } else {
        const from = at;
        while (at < csv.length && csv[at] !== ',' && csv[at] !== '\n') at++;
        cell = csv.slice(from, at);
      }
      rows[rows.length - 1].push(cell);
      if (csv[at] === '\n' && at + 1 < csv.length) {
        if (rows.length === count) break;
        rows.push([]);
      }
      at++;
    }
    return rows;
  }

  function row(cells, kind) {
    const tr = document.createElement('tr');
    for (const cell of cells) {
      const td = document.createElement(kind);
      if (kind === 'th') td.scope = 'col';
      td.textContent = cell;
      tr.append(td);
    }
    return tr;
  }

  function show(csv, warnings) {
    const [head, ...body] = records(csv, most + 1);
    document.querySelector('thead').replaceChildren(row(head, 'th'));
    document.querySelector('tbody').replaceChildren(...body.map((cells) => row(cells, 'td')));
    element('caption').textContent = body.length < most ? 'All rows' : 'The first ' + most + ' rows';
    const link = element('download');
    URL.revokeObjectURL(link.href);
    link.href = URL.createObjectURL(new Blob([csv], {type: 'text/csv'}));
    const list = element('warnings');
    list.replaceChildren(...warnings.map((text) => {
      const li = document.createElement('li');
      li.textContent = text;
      return li;
    }));
    list.hidden = warnings.length === 0;
    element('result').hidden = false;
  }

  async function predict(file) {
    element('result').hidden = true;
    element('warnings').hidden = true;
    say('Predicting for ' + file.name + '…');
    await new Promise((done) => setTimeout(done, 50)); // so that the line is seen
    const table = new Uint8Array(await file.arrayBuffer());
    const got = window.mediant(model, file.name, table);
    if (got.error) {
      say(got.error, true);
      return;
    }
    show(got.csv, got.warnings);
    say('Done: ' + file.name);
  }

  function take(files) {
    if (files.length === 1 && !input.disabled) predict(files[0]).catch((e) => say(String(e), true));
    if (files.length > 1) say('One file at a time, please.', true);
  }

  input.addEventListener('change', () => take(input.files));
  for (const type of ['dragenter', 'dragover', 'dragleave', 'drop']) {
    document.addEventListener(type, (event) => {
      event.preventDefault(); // or a file that misses the frame would replace the page
      drop.classList.toggle('over', type === 'dragenter' || type === 'dragover');
      if (type === 'drop') take(event.dataTransfer.files);
    });
  }

  async function start() {
    const go = new Go();
    const packed = new Blob([bytes('program')]).stream().pipeThrough(new DecompressionStream('gzip'));
    const {instance} = await WebAssembly.instantiate(await new Response(packed).arrayBuffer(), go.importObject);
    go.run(instance);
    input.disabled = false;
    say('Ready.');
  }

  start().catch((e) => say('This browser cannot run the page: ' + e, true));
})();
