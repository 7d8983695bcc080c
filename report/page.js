"use strict";
(() => {
	const tip = document.getElementById("tip");
	let anchor; // gives the place, in the window, that the tip belongs to
	const place = () => {
		const [left, top] = anchor(), box = tip.getBoundingClientRect();
		tip.style.left = Math.max(4, Math.min(left + 12, innerWidth - box.width - 4)) + "px";
		tip.style.top = (top - box.height - 12 < 4 ? top + 16 : top - box.height - 12) + "px";
	};
	const show = (text, at) => {
		tip.textContent = text;
		tip.className = "on";
		anchor = at;
		place();
	};
	const hide = () => { tip.className = ""; };
	document.addEventListener("keydown", (e) => { if (e.key === "Escape") hide(); });
	for (const event of ["scroll", "resize"]) {
		addEventListener(event, () => { if (tip.className) place(); }, { passive: true, capture: true });
	}

	// Tables: click a header to sort; hover a number, or move to it by keys, to see all its digits.
	const key = (row, col) => {
		const cell = row.cells[col], v = cell.dataset.v;
		if (v !== undefined) return [0, Number(v)];
		const text = cell.textContent;
		return text === "" || text === "NaN" ? [2, 0] : [1, text];
	};
	const compare = (a, b, sign) => {
		if (a[0] !== b[0]) return a[0] - b[0];
		if (a[0] === 1) return sign * a[1].localeCompare(b[1], "en", { numeric: true });
		return a[1] === b[1] ? 0 : a[1] < b[1] ? -sign : sign;
	};
	const sortBy = (table, rows, col) => {
		const heads = [...table.tHead.rows[0].cells];
		const was = heads[col].getAttribute("aria-sort");
		for (const h of heads) h.removeAttribute("aria-sort");
		let order = rows;
		if (was !== "descending") {
			const sign = was ? -1 : 1;
			heads[col].setAttribute("aria-sort", was ? "descending" : "ascending");
			order = [...rows].sort((a, b) => compare(key(a, col), key(b, col), sign));
		}
		table.tBodies[0].append(...order);
	};
	const showCell = (cell) => {
		show(cell.dataset.v, () => {
			const box = cell.getBoundingClientRect();
			return [box.left, box.top];
		});
	};
	const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
	for (const table of document.querySelectorAll("table")) {
		const rows = [...table.tBodies[0].rows];
		if (rows.length > 1) {
			[...table.tHead.rows[0].cells].forEach((head, col) => {
				const button = document.createElement("button");
				button.type = "button";
				button.append(...head.childNodes);
				button.addEventListener("click", () => sortBy(table, rows, col));
				head.append(button);
			});
		}
		const cells = [...table.querySelectorAll("[data-v]")].filter((c) => c.dataset.v !== c.textContent);
		cells.forEach((cell, i) => {
			cell.tabIndex = i ? -1 : 0;
			cell.addEventListener("pointerenter", () => showCell(cell));
			cell.addEventListener("pointerleave", hide);
			cell.addEventListener("focus", () => {
				for (const c of cells) c.tabIndex = c === cell ? 0 : -1;
				showCell(cell);
			});
			cell.addEventListener("blur", hide);
		});
		table.addEventListener("keydown", (e) => {
			const step = steps[e.key], cell = e.target.closest("[data-v]");
			if (!step || !cell) return;
			e.preventDefault();
			let row = cell.parentNode.rowIndex, col = cell.cellIndex, next;
			do {
				row += step[0];
				col += step[1];
				next = table.rows[row] && table.rows[row].cells[col];
			} while (next && !cells.includes(next));
			if (next) next.focus();
		});
	}

	// Charts: the mark nearest to the pointer shows its values; keys move from mark to mark.
	const near = 30; // of the 480 units that a chart is wide
	for (const plot of document.querySelectorAll(".plot")) {
		const svg = plot.querySelector("svg");
		const all = [...svg.querySelectorAll("g[data-p]")].map((g) => ({
			name: g.dataset.s,
			marks: g.dataset.p.split(";").filter(Boolean).map((m) => m.split(" ")),
		})).filter((s) => s.marks.length);
		const ring = document.createElementNS("http://www.w3.org/2000/svg", "circle");
		ring.setAttribute("class", "hit");
		ring.setAttribute("r", "6");
		const names = plot.dataset.names ? JSON.parse(plot.dataset.names) : [];
		const rows = plot.dataset.rows ? JSON.parse(plot.dataset.rows) : [];
		const scale = () => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
		const mark = (s, m) => {
			const [x, y, vx, vy, err] = m;
			ring.setAttribute("cx", x);
			ring.setAttribute("cy", y);
			svg.append(ring);
			const name = names[vx] === undefined ? plot.dataset.x + ": " + vx : names[vx];
			const row = rows[Math.round(-vy)];
			show((s.name ? s.name + "\n" : "") + (row === undefined ? name + "\n" + plot.dataset.y + ": " + vy : row + "\n" + plot.dataset.x + ": " + vx) +
				(err === undefined ? "" : " \u00b1 " + err), () => {
				const box = svg.getBoundingClientRect();
				return [box.left + x * scale(), box.top + y * scale()];
			});
		};
		const leave = () => { ring.remove(); hide(); };
		const move = (e) => {
			const box = svg.getBoundingClientRect(), k = scale();
			const x = (e.clientX - box.left) / k, y = (e.clientY - box.top) / k;
			let best = near * near, found;
			for (const s of all) for (const m of s.marks) {
				const d = (m[0] - x) ** 2 + (m[1] - y) ** 2;
				if (d < best) [best, found] = [d, [s, m]];
			}
			if (found) mark(...found); else leave();
		};
		plot.addEventListener("pointermove", move);
		plot.addEventListener("pointerdown", move);
		plot.addEventListener("pointerleave", leave);
		plot.addEventListener("blur", leave);
		let series = 0, at = -1;
		plot.addEventListener("keydown", (e) => {
			const step = steps[e.key];
			if (!step || !all.length) return;
			e.preventDefault();
			series = (series + step[0] + all.length) % all.length;
			const marks = all[series].marks;
			at = Math.max(0, Math.min(at + step[1], marks.length - 1));
			mark(all[series], marks[at]);
		});
	}
})();
