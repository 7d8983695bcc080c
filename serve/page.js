"use strict";
const at = id => document.getElementById(id);
const mostColumns = 60, mostCurves = 24, gridPoints = 25, mostLevels = 200, wait = 120;
let model, asked = 0, timer, fields = [], token = "";

// make returns an element; all text is set as text, so that names of columns are never read as HTML.
function make(name, attributes = {}, ...children) {
  const e = name.startsWith("svg:") ? document.createElementNS("http://www.w3.org/2000/svg", name.slice(4)) : document.createElement(name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

const digits = v => v === null || v === undefined ? "none" : Number(v.toPrecision(4)).toString();
const say = text => { at("message").textContent = text; };

async function get(path, options = {}) {
  const headers = token ? { Authorization: "Bearer " + token } : {};
  const answer = await fetch(path, { ...options, headers });
  if (answer.status === 401) at("access").hidden = false;
  if (!answer.ok) {
    let text = "status " + answer.status;
    try { text = (await answer.json()).error; } catch { /* no JSON */ }
    throw new Error(text);
  }
  return answer;
}

async function list() {
  try {
    const models = await (await get("v1/models")).json();
    at("access").hidden = true;
    at("model").replaceChildren(...models.map(m => make("option", {}, m.name)));
    if (models.length === 0) return say("The server has no models.");
    say("");
    await open();
  } catch (e) { say(e.message); }
}

async function open() {
  const name = at("model").value;
  try {
    const got = await (await get("v1/models/" + encodeURIComponent(name))).json();
    if (name !== at("model").value) return;
    model = got;
  } catch (e) { return say(e.message); }
  at("version").textContent = "version " + model.version;
  fields = model.columns.map(field);
  at("row").replaceChildren(...fields.slice(0, mostColumns).map(f => f.element));
  at("more").textContent = fields.length > mostColumns ? `${fields.length - mostColumns} more columns stay at their typical values.` : "";
  at("output").replaceChildren(...model.outputs.map(o => make("option", {}, o)));
  at("curve-line").hidden = model.outputs.length < 2;
  at("level-line").hidden = !model.distribution;
  at("card").replaceChildren(...model.card.flatMap(([k, v]) => [make("dt", {}, k), make("dd", {}, v)]));
  at("curves").replaceChildren();
  if (model.columns.some(c => c.kind === "vector")) return say("This model takes sparse rows, which cannot be set here.");
  predict();
}

// field makes the control of a column: value() is null where it is missing.
function field(column, i) {
  const id = "x" + i, label = make("label", { for: id }, column.name);
  if (column.kind === "text") {
    const listed = column.levels && column.levels.length <= mostLevels;
    const input = listed ? make("select", { id }, ...column.levels.map(l => { const o = make("option", {}, l || "(missing)"); o.value = l; return o; })) : make("input", { id, type: "text" });
    if (listed) input.value = column.levels.find(l => l !== "") ?? "";
    input.addEventListener("input", later);
    return { column, value: () => input.value, levels: listed ? column.levels : [], element: make("div", { class: "field" }, label, input) };
  }
  const known = column.min !== undefined && column.min < column.max;
  const number = make("input", { id, type: "number", step: "any" });
  number.value = known ? Number(column.typical.toPrecision(6)) : column.typical ?? 0;
  number.addEventListener("input", later);
  const pair = make("div", { class: "pair" }, number), element = make("div", { class: "field" }, label, pair);
  if (known) {
    const slider = make("input", { type: "range", min: column.min, max: column.max, step: "any", "aria-label": column.name });
    slider.value = number.value;
    slider.addEventListener("input", () => { number.value = Number(Number(slider.value).toPrecision(6)); later(); });
    slider.addEventListener("keydown", e => { // a step of "any" is none for the arrows in some browsers
      const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[e.key];
      if (!by) return;
      e.preventDefault();
      slider.value = Number(slider.value) + by * (column.max - column.min) / 100;
      slider.dispatchEvent(new Event("input"));
    });
    number.addEventListener("input", () => { if (number.value !== "") slider.value = number.value; });
    pair.prepend(slider);
    element.append(make("p", { class: "range" }, `${digits(column.min)} to ${digits(column.max)} in training`));
  }
  return { column, value: () => number.value === "" ? null : Number(number.value), known, element };
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(predict, wait);
}

// infer predicts rows, arrays of values by column, and returns the values of each output by name.
async function infer(rows) {
  const inputs = model.columns.map((c, j) => ({ name: c.name, shape: [rows.length], datatype: c.kind === "text" ? "BYTES" : "FP64", data: rows.map(r => r[j]) }));
  const parameters = {};
  if (model.distribution) parameters.interval = Number(at("level").value);
  if (model.se) parameters.se = true;
  if (model.label) parameters.scores = true;
  const path = `v2/models/${encodeURIComponent(model.name)}/infer`; // the version that there is now
  const answer = await (await get(path, { method: "POST", body: JSON.stringify({ parameters, inputs }) })).json();
  return { of: Object.fromEntries(answer.outputs.map(o => [o.name, o.data])), warnings: answer.parameters?.warnings ?? [] };
}

async function predict() {
  const mine = ++asked, row = fields.map(f => f.value());
  try {
    const now = await infer([row]);
    if (mine !== asked) return;
    say("");
    show(now);
    await curves(mine, row);
  } catch (e) { if (mine === asked) say(e.message); }
}

function show({ of, warnings }) {
  at("warnings").replaceChildren(...warnings.map(w => make("li", {}, w)));
  if (model.label) {
    const body = model.outputs.filter(o => of[o]).map(o => make("tr", {}, make("th", { scope: "row" }, o), make("td", {}, digits(of[o][0])),
      make("td", {}, make("meter", { min: 0, max: 1, value: Math.min(Math.max(of[o][0], 0), 1), "aria-label": o }))));
    at("result").replaceChildren(make("p", { class: "big" }, of[model.label][0]), make("table", {}, ...body));
    return;
  }
  at("result").replaceChildren(...model.outputs.flatMap(o => {
    const lines = [make("p", { class: "big" }, `${o} = ${digits(of[o][0])}`)];
    if (of[o + "_lower"]) lines.push(make("p", { id: "interval" }, `${at("level").selectedOptions[0].text} interval ${digits(of[o + "_lower"][0])} to ${digits(of[o + "_upper"][0])}`));
    if (of[o + " se"]) lines.push(make("p", { class: "note" }, `standard error of f ${digits(of[o + " se"][0])}`));
    return lines;
  }));
}

// curves draws f along each column, of one request for all of them.
async function curves(mine, row) {
  const rows = [], parts = [];
  fields.slice(0, mostCurves).forEach((f, j) => {
    const values = f.levels ? f.levels.slice(0, 12) : f.known ? Array.from({ length: gridPoints }, (_, i) => f.column.min + (f.column.max - f.column.min) * i / (gridPoints - 1)) : [];
    if (values.length < 2) return;
    parts.push({ f, values, from: rows.length });
    for (const v of values) { const r = row.slice(); r[j] = v; rows.push(r); }
  });
  if (rows.length === 0) return;
  const { of } = await infer(rows);
  if (mine !== asked) return;
  const output = at("output").value, se = of[output + " se"], f = of[output];
  if (!f) return;
  const low = of[output + "_lower"] ?? (se && f.map((v, i) => v - 1.96 * se[i])), high = of[output + "_upper"] ?? (se && f.map((v, i) => v + 1.96 * se[i]));
  const all = [...f, ...(low ?? []), ...(high ?? [])], bottom = Math.min(...all), top = Math.max(...all);
  at("curves").replaceChildren(...parts.map(p => {
    const cut = a => a?.slice(p.from, p.from + p.values.length);
    return picture(p, cut(f), cut(low), cut(high), bottom, top, output);
  }));
}

function picture({ f, values, from }, y, low, high, bottom, top, output) {
  const w = 320, h = 150, left = 52, base = 122, span = top - bottom || 1;
  const px = i => left + (w - left - 8) * (f.levels ? (i + .5) / values.length : i / (values.length - 1)), py = v => 8 + (base - 8) * (top - v) / span;
  const points = a => a.map((v, i) => `${px(i).toFixed(1)},${py(v).toFixed(1)}`);
  const svg = make("svg:svg", { viewBox: `0 0 ${w} ${h}`, role: "img", "aria-label": `${output} along ${f.column.name}: from ${digits(y[0])} to ${digits(y[y.length - 1])}, least ${digits(Math.min(...y))}, greatest ${digits(Math.max(...y))}` });
  svg.append(make("svg:line", { class: "axis", x1: left, x2: w, y1: base, y2: base }), make("svg:line", { class: "axis", x1: left, x2: left, y1: 4, y2: base }));
  const text = (x, y, anchor, t) => { const e = make("svg:text", { x, y, "text-anchor": anchor }); e.textContent = t; svg.append(e); };
  text(left - 4, 18, "end", digits(top));
  text(left - 4, base, "end", digits(bottom));
  if (f.levels) {
    values.forEach((v, i) => {
      if (low) svg.append(make("svg:line", { class: "curve", x1: px(i), x2: px(i), y1: py(low[i]), y2: py(high[i]) }));
      svg.append(make("svg:circle", { class: "dot", cx: px(i), cy: py(y[i]), r: 4 }));
      const room = Math.max(2, Math.floor((w - left) / values.length / 8));
      text(px(i), base + 18, "middle", v.length > room ? v.slice(0, room - 1) + "…" : v);
    });
  } else {
    if (low) svg.append(make("svg:polygon", { class: "band", points: [...points(low), ...points(high).reverse()].join(" ") }));
    svg.append(make("svg:polyline", { class: "curve", points: points(y).join(" ") }));
    const share = (f.value() - f.column.min) / (f.column.max - f.column.min);
    if (f.value() !== null && share >= 0 && share <= 1) { const x = left + (w - left - 8) * share; svg.append(make("svg:line", { class: "here", x1: x, x2: x, y1: 4, y2: base })); }
    text(left, base + 18, "start", digits(f.column.min));
    text(w - 8, base + 18, "end", digits(f.column.max));
  }
  return make("figure", {}, make("figcaption", {}, f.column.name), svg);
}

at("model").addEventListener("change", open);
at("level").addEventListener("change", predict);
at("output").addEventListener("change", predict);
at("row").addEventListener("submit", e => { e.preventDefault(); predict(); });
at("access").addEventListener("submit", e => { e.preventDefault(); token = at("token").value; list(); });
at("report").addEventListener("click", async e => { // a link sends no token
  e.preventDefault();
  try {
    const page = URL.createObjectURL(await (await get(`v1/models/${encodeURIComponent(model.name)}/card`)).blob());
    const link = make("a", { href: page, download: model.name + ".html" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(page), 10000);
  } catch (e) { say(e.message); }
});
at("report").href = "#report";
list();
