// One drawing of a graph for two surfaces: the canvas on the page, and an SVG file.

/** The part of the canvas interface that the drawing uses, written as SVG. */
class SvgSurface {
  constructor() { this.parts = []; this.path = ''; this.dash = []; this.lineWidth = 1; this.fillStyle = '#000'; this.strokeStyle = '#000'; this.font = ''; this.textAlign = 'left'; }
  beginPath() { this.path = ''; }
  moveTo(x, y) { this.path += 'M' + round(x) + ' ' + round(y); }
  lineTo(x, y) { this.path += 'L' + round(x) + ' ' + round(y); }
  bezierCurveTo(a, b, c, d, x, y) { this.path += 'C' + [a, b, c, d, x, y].map(round).join(' '); }
  closePath() { this.path += 'Z'; }
  rect(x, y, width, height) { this.path += 'M' + round(x) + ' ' + round(y) + 'h' + round(width) + 'v' + round(height) + 'h' + round(-width) + 'Z'; }
  setLineDash(dash) { this.dash = dash; }
  stroke() { this.parts.push('<path d="' + this.path + '" fill="none" stroke="' + this.strokeStyle + '" stroke-width="' + this.lineWidth + '"' + (this.dash.length ? ' stroke-dasharray="' + this.dash.join(' ') + '"' : '') + '/>'); }
  fill() { this.parts.push('<path d="' + this.path + '" fill="' + this.fillStyle + '"/>'); }
  fillText(text, x, y) { this.parts.push('<text x="' + round(x) + '" y="' + round(y) + '" fill="' + this.fillStyle + '" font-family="monospace" font-size="11.5"' + (this.textAlign === 'center' ? ' text-anchor="middle"' : '') + '>' + escaped(text) + '</text>'); }
  measureText(text) { return { width: text.length * 7 }; }
  document(x, y, width, height, paper) {
    return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="' + [x, y, width, height].map(round).join(' ') + '" width="' + round(width) + '" height="' + round(height) + '">'
      + '<rect x="' + round(x) + '" y="' + round(y) + '" width="100%" height="100%" fill="' + paper + '"/>' + this.parts.join('\n') + '</svg>\n';
  }
}

function round(number) { return Math.round(number * 10) / 10; }
function escaped(text) { return String(text).replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }[sign])); }

/** A text cut so that it fits. */
function fitting(surface, given, width) {
  const text = visible(given);
  if (surface.measureText(text).width <= width) return text;
  let keep = Math.max(3, Math.floor(text.length * width / surface.measureText(text).width) - 1);
  while (keep > 3 && surface.measureText(text.slice(0, keep) + '…').width > width) keep -= 1;
  return text.slice(0, keep) + '…';
}

function arrowHead(surface, x, y, dx, dy) {
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  surface.beginPath();
  surface.moveTo(x, y);
  surface.lineTo(x - 8 * ux - 3.5 * uy, y - 8 * uy + 3.5 * ux);
  surface.lineTo(x - 8 * ux + 3.5 * uy, y - 8 * uy - 3.5 * ux);
  surface.closePath();
  surface.fill();
}

/** A curve between two boxes; forwards from side to side, else around the top. */
function curve(surface, from, to, lift) {
  const self = from === to;
  surface.beginPath();
  if (self) {
    const [x, y] = [from.x + BOX.width - 34, from.y];
    surface.moveTo(x, y);
    surface.bezierCurveTo(x - 4, y - 20 - lift, x + 32, y - 20 - lift, x + 22, y);
    surface.stroke();
    arrowHead(surface, x + 22, y, -3, 12);
  } else if (to.x > from.x) {
    const [x1, y1, x2, y2] = [from.x + BOX.width, from.y + BOX.height / 2, to.x, to.y + BOX.height / 2];
    const bend = Math.max(30, (x2 - x1) / 2);
    const far = to.layer - from.layer > 1 ? 26 + lift : 0;
    surface.moveTo(x1, y1);
    surface.bezierCurveTo(x1 + bend, y1 - far, x2 - bend, y2 - far, x2, y2);
    surface.stroke();
    arrowHead(surface, x2, y2, 10, far ? 4 : 0);
  } else {
    const high = Math.abs(to.y - from.y) < 4 ? 34 + lift + (from.x - to.x) / 14 : 26 + lift;
    const [x1, y1, x2, y2] = [from.x + BOX.width / 2 + 12, from.y, to.x + BOX.width / 2 - 12, to.y];
    const down = to.y > from.y + 4;
    const end = down ? to.y : to.y + (Math.abs(to.y - from.y) < 4 ? 0 : BOX.height);
    surface.moveTo(x1, down ? from.y + BOX.height : y1);
    surface.bezierCurveTo(x1, (down ? from.y + BOX.height + high : y1 - high), x2, (down ? end - high : Math.abs(to.y - from.y) < 4 ? y2 - high : end + high), x2, end);
    surface.stroke();
    arrowHead(surface, x2, end, 0, down || Math.abs(to.y - from.y) < 4 ? 10 : -10);
  }
}

/** From afar: boxes and straight lines, each kind in one stroke; thousands of states take a few milliseconds. */
function drawFromAfar(surface, scene, tones) {
  const { graph, positions, value, path, inView } = scene;
  const centre = (at) => [at.x + BOX.width / 2, at.y + BOX.height / 2];
  const lines = (tone, width, wanted) => {
    surface.strokeStyle = tone;
    surface.lineWidth = width;
    surface.beginPath();
    for (const edge of graph.edges) {
      const [a, b] = [positions.get(edge[0]), positions.get(edge[1])];
      if (!a || !b || a === b || !wanted(edge) || !inView(a, b)) continue;
      surface.moveTo(...centre(a));
      surface.lineTo(...centre(b));
    }
    surface.stroke();
  };
  lines(tones.line, 2, (edge) => !edge[3]);
  lines(tones.soft, 2, (edge) => edge[3]);
  lines(tones.loop, 8, (edge) => path.has(edge[0] + '>' + edge[1]));
  for (const letter of [undefined, 't', 'f', 'u', 'b']) {
    surface.fillStyle = letter ? tones[LETTERS[letter]] : tones.soft;
    surface.beginPath();
    for (const [state, at] of positions) {
      const own = value(state);
      if ((LETTERS[own] ? own : undefined) === letter && inView(at, at)) surface.rect(at.x, at.y, BOX.width, BOX.height);
    }
    surface.fill();
  }
}

/** Draws everything that `scene` says is in view. */
function drawGraph(surface, scene, tones) {
  const { graph, positions, value, chosen, path, inView } = scene;
  const starts = new Set(graph.init);
  surface.font = '11.5px ui-monospace, "DejaVu Sans Mono", monospace';
  const ends = (from, to) => { const [a, b] = [positions.get(from), positions.get(to)]; return a && b && inView(a, b) ? [a, b] : null; };
  const decided = new Map(graph.decided || []);
  graph.edges.forEach(([from, to, may, must], number) => {
    const pair = ends(from, to);
    if (!pair) return;
    if (decided.has(number)) {
      surface.strokeStyle = surface.fillStyle = decided.get(number) ? tones.true : tones.false;
      surface.lineWidth = 2.2;
      surface.setLineDash(decided.get(number) ? [] : [2, 4]);
      curve(surface, pair[0], pair[1], 8);
      return;
    }
    const onPath = path.has(from + '>' + to);
    const marked = chosen === from || chosen === to;
    surface.strokeStyle = surface.fillStyle = onPath ? tones.loop : !may ? tones.both : marked ? tones.ink : must ? tones.soft : tones.unknown;
    surface.lineWidth = onPath ? 2.6 : marked ? 2 : must ? 1.4 : 1.2;
    surface.setLineDash(!may ? [2, 3] : must ? [] : [6, 4]);
    curve(surface, pair[0], pair[1], must ? 0 : 8);
  });
  surface.setLineDash([]);
  graph.hyper.forEach(([from, members]) => {
    const a = positions.get(from);
    const shown = members.map((to) => positions.get(to)).filter(Boolean);
    if (!a || !shown.length || !shown.some((b) => inView(a, b))) return;
    surface.strokeStyle = surface.fillStyle = tones.both;
    surface.lineWidth = chosen === from ? 2.4 : 1.7;
    const [x, y] = [a.x + BOX.width + 22, a.y + BOX.height / 2 + 9];
    surface.beginPath();
    surface.moveTo(a.x + BOX.width, a.y + BOX.height / 2 + 5);
    surface.lineTo(x, y);
    surface.stroke();
    surface.beginPath();
    surface.moveTo(x, y - 5); surface.lineTo(x + 5, y); surface.lineTo(x, y + 5); surface.lineTo(x - 5, y);
    surface.closePath();
    surface.fill();
    const joint = { x: x - BOX.width + 3, y: y - BOX.height / 2 };
    for (const b of shown) {
      if (b.x > x) curve(surface, joint, b, 4);
      else {
        surface.beginPath();
        surface.moveTo(x, y + 4);
        surface.bezierCurveTo(x, y + 46, b.x + BOX.width / 2, b.y + BOX.height + 46, b.x + BOX.width / 2, b.y + BOX.height);
        surface.stroke();
        arrowHead(surface, b.x + BOX.width / 2, b.y + BOX.height, 0, -10);
      }
    }
  });
  for (const [state, at] of positions) {
    if (!inView(at, at)) continue;
    const letter = value(state);
    const word = LETTERS[letter];
    surface.beginPath();
    surface.rect(at.x, at.y, BOX.width, BOX.height);
    surface.fillStyle = word ? tones[word + '-paper'] : tones.raised;
    surface.fill();
    surface.strokeStyle = chosen === state ? tones.focus : word ? tones[word] : tones.line;
    surface.lineWidth = chosen === state ? 3 : starts.has(state) ? 2.4 : 1.2;
    surface.stroke();
    surface.textAlign = 'left';
    surface.fillStyle = word ? tones[word] : tones.ink;
    if (word) surface.fillText(SIGNS[word], at.x + 7, at.y + BOX.height / 2 + 4);
    surface.fillStyle = tones.ink;
    const left = word ? 22 : 8;
    const parts = linesOf(graph.states[state]);
    const first = at.y + BOX.height / 2 + 4 - 6.5 * (parts.length - 1);
    parts.forEach((part, line) => surface.fillText(fitting(surface, part, BOX.width - left - 8), at.x + left, first + 13 * line));
    if (starts.has(state)) {
      surface.strokeStyle = surface.fillStyle = tones.ink;
      surface.lineWidth = 1.6;
      surface.beginPath();
      surface.moveTo(at.x - 22, at.y + BOX.height / 2);
      surface.lineTo(at.x, at.y + BOX.height / 2);
      surface.stroke();
      arrowHead(surface, at.x, at.y + BOX.height / 2, 10, 0);
    }
    if (scene.more.has(state)) {
      surface.textAlign = 'center';
      surface.fillStyle = tones.soft;
      surface.fillText('+' + scene.more.get(state), at.x + BOX.width - 4, at.y + BOX.height + 11);
    }
  }
}
