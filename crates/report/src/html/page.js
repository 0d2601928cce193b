// SPDX-License-Identifier: MIT
// Sorts the tables of the page and draws the flame graph. The page can be read without it.
"use strict";

document.querySelectorAll("table[data-sort]").forEach(sortable);
const stacks = document.getElementById("stacks");
if (stacks) graph(JSON.parse(stacks.textContent));

function sortable(table) {
  const headings = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const first = Number(table.dataset.first);
  const more = table.closest("section").querySelector(".all-rows");
  const shorten = () => [...body.rows].forEach((row, at) => { row.hidden = !!more && !more.hidden && at >= first; });
  if (more) {
    more.hidden = false;
    more.addEventListener("click", () => { more.hidden = true; shorten(); });
  }
  shorten();
  headings.forEach((heading, column) => {
    const words = heading.classList.contains("left");
    const value = (row) => row.cells[column].dataset.value;
    const compare = words
      ? (a, b) => value(a).localeCompare(value(b))
      : (a, b) => Number(value(a)) - Number(value(b));
    heading.querySelector("button").addEventListener("click", () => {
      const now = heading.getAttribute("aria-sort");
      const [usual, other] = words ? ["ascending", "descending"] : ["descending", "ascending"];
      const next = now === usual ? other : usual;
      headings.forEach((each) => each.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", next);
      const sign = next === "ascending" ? 1 : -1;
      body.append(...[...body.rows].sort((a, b) => sign * compare(a, b)));
      shorten();
    });
  });
}

function graph(data) {
  const PARENT = 0, FRAME = 1, CALLS = 2, TIME = 3;
  const NAME = 0, MODULE = 1, WHOSE = 2;
  const ROW = 22, LEAST = 1.5, WORDS = 24;
  const nodes = data.nodes;
  const tree = document.getElementById("tree");
  const told = document.getElementById("told");
  const whole = document.getElementById("whole");
  const input = document.querySelector(".search input");
  const matched = document.getElementById("matched");
  const buttons = [...document.querySelectorAll("[data-by]")];
  const children = nodes.map(() => []);
  for (let at = 1; at < nodes.length; at++) children[nodes[at][PARENT]].push(at);
  const number = new Intl.NumberFormat("en");
  let by = CALLS, zoomed = 0, cursor = 0;
  let found = new Set();
  let elements = new Map(), rows = [];

  const frame = (at) => data.frames[nodes[at][FRAME]];
  const share = (at) => nodes[0][by] ? nodes[at][by] / nodes[0][by] : 0;
  const percent = (part) => part === 1 ? "100 %" : part < 0.001 && part > 0 ? "under 0.1 %" : `${(part * 100).toFixed(1)} %`;

  function duration(nanoseconds) {
    for (const [size, unit] of [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]]) {
      if (nanoseconds >= size) return `${(nanoseconds / size).toPrecision(3)} ${unit}`;
    }
    return `${nanoseconds} ns`;
  }

  function amount(at) {
    const calls = nodes[at][CALLS];
    const time = nodes[at][TIME] ? `, about ${duration(nodes[at][TIME])}` : "";
    return `${number.format(calls)} ${calls === 1 ? "call" : "calls"}${time}, ${percent(share(at))} of all`;
  }

  function order() {
    const last = (at) => frame(at)[WHOSE] === "rest" ? 1 : 0;
    children.forEach((list) => list.sort((a, b) => last(a) - last(b) || nodes[b][by] - nodes[a][by] || a - b));
  }

  function draw() {
    const kept = tree.contains(document.activeElement);
    const width = tree.clientWidth;
    elements = new Map();
    rows = [];
    const above = [];
    for (let at = zoomed; at !== 0; at = nodes[at][PARENT]) above.unshift(nodes[at][PARENT]);
    above.forEach((at, depth) => put(at, depth, 0, width, "above"));
    // A list instead of recursion: stacks may be deep.
    const waiting = [[zoomed, above.length, 0, width]];
    while (waiting.length) {
      const [at, depth, left, wide] = waiting.pop();
      put(at, depth, left, wide);
      let start = left;
      for (const child of children[at]) {
        const part = nodes[at][by] ? wide * nodes[child][by] / nodes[at][by] : 0;
        if (part >= LEAST) waiting.push([child, depth + 1, start, part]);
        start += part;
      }
    }
    rows.forEach((row) => row.sort((a, b) => a.left - b.left));
    tree.style.height = `${rows.length * ROW}px`;
    tree.replaceChildren(...rows.flatMap((row) => row.map((place) => place.element)));
    whole.disabled = zoomed === 0;
    if (!elements.has(cursor)) cursor = zoomed;
    move(cursor, kept);
  }

  function put(at, depth, left, wide, more) {
    const element = document.createElement("div");
    element.className = frame(at)[WHOSE];
    if (more) element.classList.add(more);
    if (found.has(at)) element.classList.add("found");
    element.setAttribute("role", "treeitem");
    element.setAttribute("aria-level", depth + 1);
    element.setAttribute("aria-label", `${frame(at)[NAME]}: ${amount(at)}`);
    if (at === zoomed) element.setAttribute("aria-selected", "true");
    element.tabIndex = -1;
    element.style.left = `${left}px`;
    element.style.width = `${wide}px`;
    element.style.top = `${depth * ROW}px`;
    if (wide >= WORDS) element.textContent = frame(at)[NAME];
    else element.classList.add("narrow");
    element.dataset.node = at;
    elements.set(at, { element, depth });
    (rows[depth] ??= []).push({ at, left, element });
  }

  function move(at, focus) {
    const before = elements.get(cursor);
    if (before) before.element.tabIndex = -1;
    cursor = at;
    const { element } = elements.get(at);
    element.tabIndex = 0;
    if (focus) element.focus({ preventScroll: true });
    tell(at);
  }

  function tell(at) {
    const [name, module] = frame(at);
    const strong = document.createElement("b");
    strong.textContent = name;
    const rest = document.createElement("span");
    rest.textContent = `${module ? ` in ${module}` : ""}: ${amount(at)}`;
    told.replaceChildren(strong, rest);
  }

  function zoom(at) {
    if (frame(at)[WHOSE] === "rest") return;
    zoomed = cursor = at;
    draw();
  }

  function search() {
    const wanted = input.value.trim().toLowerCase();
    const hit = data.frames.map(([name, module]) =>
      wanted !== "" && (name.toLowerCase().includes(wanted) || module.toLowerCase().includes(wanted)));
    found = new Set();
    let sum = 0;
    // A match inside a match is in its sum already. Parents come before their children.
    const inside = new Uint8Array(nodes.length);
    nodes.forEach((node, at) => {
      const covered = at > 0 && inside[node[PARENT]];
      inside[at] = covered;
      if (!hit[node[FRAME]]) return;
      found.add(at);
      if (!covered) sum += node[by];
      inside[at] = 1;
    });
    matched.textContent = wanted === "" ? "" : found.size === 0 ? "not found" :
      `${by === CALLS ? `${number.format(sum)} calls` : duration(sum)}, ${percent(nodes[0][by] ? sum / nodes[0][by] : 0)}`;
    draw();
  }

  const beside = (step) => {
    const row = rows[elements.get(cursor).depth];
    return row[row.findIndex((place) => place.at === cursor) + step]?.at;
  };
  const keys = {
    ArrowUp: () => cursor === 0 ? undefined : nodes[cursor][PARENT],
    ArrowDown: () => children[cursor].find((at) => elements.has(at)),
    ArrowLeft: () => beside(-1),
    ArrowRight: () => beside(1),
    Home: () => 0,
  };
  tree.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") zoom(cursor);
    else if (event.key === "Escape") zoom(nodes[zoomed][PARENT]);
    else if (event.key in keys) {
      const to = keys[event.key]();
      if (to !== undefined) move(to, true);
    } else return;
    event.preventDefault();
  });
  const at = (event) => event.target.dataset?.node;
  tree.addEventListener("click", (event) => { if (at(event) !== undefined) zoom(Number(at(event))); });
  tree.addEventListener("mouseover", (event) => { if (at(event) !== undefined) tell(Number(at(event))); });
  tree.addEventListener("mouseleave", () => tell(cursor));
  whole.addEventListener("click", () => zoom(0));
  input.addEventListener("input", search);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && input.value) { input.value = ""; search(); event.preventDefault(); }
  });
  buttons.forEach((button) => button.addEventListener("click", () => {
    by = Number(button.dataset.by);
    buttons.forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
    order();
    search();
  }));

  document.getElementById("graph").hidden = false;
  document.querySelector(".noscript").hidden = true;
  order();
  draw();
  let wide = tree.clientWidth;
  new ResizeObserver(() => {
    if (tree.clientWidth !== wide) { wide = tree.clientWidth; draw(); }
  }).observe(tree);
}
