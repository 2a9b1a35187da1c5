// Small tools: elements without markup in strings, words for values, the address, the colour scheme.

/** Characters that are not seen, or that change how others are seen, as in `visible.rs`; line ends and tabs stay. */
const DECEPTIVE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** Text with such characters written out, as `\\u{202e}`. */
function visible(text) {
  return String(text).replace(DECEPTIVE, (c) => '\\u{' + c.codePointAt(0).toString(16) + '}');
}

/** Makes an element. Text only ever becomes text: nothing here parses markup. */
function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'class') element.className = value;
    else if (key === 'style') element.style.cssText = value;
    else element.setAttribute(key, value === true ? '' : visible(value));
  }
  fill(element, children);
  return element;
}

function fill(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(visible(child)));
  }
}

function svg(tag, props, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(props || {})) element.setAttribute(key, String(value));
  fill(element, children);
  return element;
}

const LETTERS = { t: 'true', f: 'false', u: 'unknown', b: 'both' };
const SIGNS = { true: '✓', false: '✗', unknown: '?', both: '⇄', stopped: '◼' };

/** The class of a value: one of ours, or another element of the user's lattice. */
function kindOf(result) {
  if (result.stopped) return 'stopped';
  return SIGNS[result.value] ? result.value : 'other';
}

function chip(result) {
  const kind = kindOf(result);
  const word = result.stopped ? 'stopped' : result.value;
  return h('span', { class: 'chip ' + kind }, SIGNS[kind] ? SIGNS[kind] + ' ' : '', word);
}

function plural(count, noun) {
  return count + ' ' + noun + (count === 1 ? '' : 's');
}

/** Offers text as a file; nothing leaves the machine. */
function download(name, type, text) {
  const link = h('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h('textarea', { class: 'sr' });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  const before = button.textContent;
  button.textContent = 'copied';
  setTimeout(() => { button.textContent = before; }, 1200);
}

/** The state of the page, which its address carries. */
const address = {
  read() {
    const found = {};
    for (const part of location.hash.slice(1).split('&')) {
      const at = part.indexOf('=');
      if (at > 0) {
        try { found[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1)); } catch { /* not ours */ }
      }
    }
    return found;
  },
  write(values) {
    const parts = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
    const text = '#' + parts.map(([key, value]) => key + '=' + encodeURIComponent(value)).join('&');
    if (text !== location.hash) history.replaceState(null, '', text);
  },
};

/** The number in `text` if it lies in the range, else `otherwise`. */
function within(text, low, high, otherwise) {
  const number = Number.parseInt(text, 10);
  return Number.isInteger(number) && number >= low && number <= high ? number : otherwise;
}

const theme = {
  start() {
    let kept = null;
    try { kept = localStorage.getItem('tertium-theme'); } catch { /* a file may have no storage */ }
    if (kept === 'light' || kept === 'dark') document.documentElement.dataset.theme = kept;
  },
  isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  },
  toggle() {
    const next = theme.isDark() ? 'light' : 'dark';
    document.documentElement.dataset.theme = next;
    try { localStorage.setItem('tertium-theme', next); } catch { /* as above */ }
  },
};

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}

/** A command to copy. */
function command(text) {
  const at = text.indexOf('   (');
  const [line, remark] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 3)];
  const button = h('button', { 'aria-label': 'copy ' + line }, 'copy');
  button.addEventListener('click', () => copy(line, button));
  return h('div', { class: 'command' }, h('code', null, line), button, remark && h('span', { class: 'quiet' }, remark));
}

/** A sentence in which `…` is code. */
function sentence(text) {
  return text.split('`').map((part, at) => (at % 2 ? h('code', null, part) : part));
}
