// The text of the model, with the current line and remarks beside lines.

/** A pane for one text. `marks` maps a line to a class; `show(line, remarks)` moves. */
function sourcePane(sources, title, marks) {
  const chosen = { file: 0 };
  const body = h('div', { class: 'body', tabindex: '0', role: 'region', 'aria-label': 'source text' });
  const label = h('span', { class: 'code' });
  const element = h('section', { class: 'pane', 'aria-label': title }, h('header', null, h('strong', null, title), label), body);
  let lines = [];
  let current = [];

  function load(file) {
    chosen.file = file;
    const source = sources[file];
    label.textContent = source ? visible(source.file) : '';
    lines = [];
    body.replaceChildren();
    if (!source) {
      body.append(h('p', { class: 'empty' }, 'the text is not part of this report'));
      return;
    }
    const pre = h('div', { class: 'source' });
    source.text.replace(/\n$/, '').split('\n').forEach((text, at) => {
      const mark = marks && file === 0 ? marks[at + 1] : undefined;
      const line = h('div', { class: 'line' + (mark ? ' ' + mark.kind : ''), 'data-line': at + 1, title: mark && mark.title }, h('span', { class: 'n' }, at + 1), h('span', null, text.replace(/\t/g, '    ')));
      lines.push(line);
      pre.append(line);
    });
    body.append(pre);
  }

  function clear() {
    for (const line of current) {
      line.classList.remove('now');
      line.removeAttribute('aria-current');
      line.querySelectorAll('.guard').forEach((guard) => guard.remove());
    }
    current = [];
  }

  // Lines are all of one height: asking for the place of one at every step would lay out everything that has changed.
  const size = { line: 0, room: 0, top: 0, wanted: 0 };

  /** Scrolls so that the wanted line is seen. */
  function bring() {
    const top = size.wanted * size.line;
    if (!size.line || (top >= size.top + 20 && top <= size.top + size.room - 40)) return;
    size.top = Math.max(0, top - size.room / 3);
    body.scrollTop = size.top;
  }

  body.addEventListener('scroll', () => { size.top = body.scrollTop; });
  new ResizeObserver(() => {
    size.room = body.clientHeight;
    size.line = lines.length ? lines[0].offsetHeight : 0;
    bring();
  }).observe(body);
  load(0);
  return {
    element,
    /** Marks a line as the one that was executed; `guards` are remarks about other lines. */
    show(line, file, guards) {
      const wanted = Math.max(0, sources.findIndex((source) => file && source.file === file));
      if (wanted !== chosen.file) load(wanted);
      clear();
      for (const guard of guards || []) {
        const at = lines[guard.line - 1];
        if (!at) continue;
        at.append(h('span', { class: 'guard ' + (guard.can ? 'can' : 'cannot') }, guard.text));
        current.push(at);
      }
      const at = lines[(line || (guards && guards.length ? guards[0].line : 0)) - 1];
      if (!at) return;
      if (line) {
        at.classList.add('now');
        at.setAttribute('aria-current', 'true');
        current.push(at);
      }
      size.wanted = Number(at.dataset.line) - 1;
      bring();
    },
  };
}
