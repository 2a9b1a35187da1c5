// Expressions over the values of one step, for pinned lines: `y1 <= y2`, `P@crit && !done`, `a[i] + 1`.

const OPERATORS = { '||': 1, or: 1, '->': 1, '&&': 2, and: 2, '=': 3, '==': 3, '!=': 3, '<': 4, '<=': 4, '>': 4, '>=': 4, '+': 5, '-': 5, '*': 6, '/': 6, div: 6, '%': 6, mod: 6 };

function tokens(text) {
  const found = [];
  const pattern = /\s*(?:(\d+)|([A-Za-z_][A-Za-z_0-9]*)|(\|\||&&|->|==|!=|<=|>=|[-+*/%=<>!().@[\]]))/y;
  let at = 0;
  while (at < text.length) {
    if (!text.slice(at).trim()) break;
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) throw new Error('unexpected `' + text.slice(at).trim()[0] + '`');
    at = pattern.lastIndex;
    found.push(match[1] !== undefined ? { number: Number(match[1]) } : match[2] ? { name: match[2] } : { sign: match[3] });
  }
  return found;
}

/** Evaluates `text` where `values` maps names to what the run shows. Throws an Error with a sentence. */
function evaluate(text, values) {
  const input = tokens(text);
  let at = 0;
  let depth = 0;
  const peek = () => { const token = input[at]; return token && (token.sign || token.name); };
  const expect = (sign) => { if (peek() !== sign) throw new Error('`' + sign + '` is missing'); at += 1; };

  function plain(value) {
    if (value === undefined) return undefined;
    if (/^-?\d+$/.test(value)) return Number(value);
    if (value === 'true' || value === 'false') return value === 'true';
    return value;
  }

  function name() {
    let path = input[at++].name;
    for (;;) {
      if (peek() === '.') {
        at += 1;
        if (!input[at] || !input[at].name) throw new Error('a name is missing after `.`');
        path += '.' + input[at++].name;
      } else if (peek() === '[') {
        at += 1;
        const index = binary(0);
        expect(']');
        path += '[' + index + ']';
      } else if (peek() === '(' && values[path + '(' + (input[at + 1] || {}).number + ')@'] !== undefined) {
        path += '(' + input[at + 1].number + ')';
        at += 2;
        expect(')');
      } else if (peek() === '@') {
        at += 1;
        if (!input[at] || !input[at].name) throw new Error('a label is missing after `@`');
        const place = values[path + '@'];
        return place !== undefined && place === input[at++].name;
      } else break;
    }
    const own = Object.prototype.hasOwnProperty.call(values, path) ? values[path] : undefined;
    if (own !== undefined) return plain(own);
    if (path === 'true' || path === 'false') return path === 'true';
    if (LETTERS[path]) return path;
    if (/^[A-Za-z_]\w*$/.test(path) && Object.values(values).includes(path)) return path;
    throw new Error('`' + path + '` has no value here');
  }

  function unary() {
    depth += 1;
    if (depth > 200) throw new Error('too deep');
    const token = input[at];
    let value;
    if (!token) throw new Error('something is missing at the end');
    if (token.number !== undefined) { at += 1; value = token.number; }
    else if (token.sign === '(') { at += 1; value = binary(0); expect(')'); }
    else if (token.sign === '!' || token.name === 'not') { at += 1; value = !unary(); }
    else if (token.sign === '-') { at += 1; value = -unary(); }
    else if (token.name) value = name();
    else throw new Error('unexpected `' + token.sign + '`');
    depth -= 1;
    return value;
  }

  function binary(least) {
    let left = unary();
    for (;;) {
      const sign = peek();
      const strength = OPERATORS[sign];
      if (!strength || strength <= least) return left;
      at += 1;
      left = apply(sign, left, binary(sign === '->' ? strength - 1 : strength));
    }
  }

  function apply(sign, a, b) {
    switch (sign) {
      case '||': case 'or': return Boolean(a) || Boolean(b);
      case '->': return !a || Boolean(b);
      case '&&': case 'and': return Boolean(a) && Boolean(b);
      case '=': case '==': return a === b;
      case '!=': return a !== b;
      case '<': return a < b;
      case '<=': return a <= b;
      case '>': return a > b;
      case '>=': return a >= b;
      case '+': return a + b;
      case '-': return a - b;
      case '*': return a * b;
      default:
        if (b === 0) throw new Error('division by zero');
        // `mod` of guarded commands is never negative and `div` fits it; `/` and `%` of Promela round towards zero.
        if (sign === '/') return Math.trunc(a / b);
        if (sign === '%') return a % b;
        {
          const rest = ((a % b) + Math.abs(b)) % Math.abs(b);
          return sign === 'mod' ? rest : (a - rest) / b;
        }
    }
  }

  const value = binary(0);
  if (at < input.length) throw new Error('unexpected `' + (peek() || input[at].number) + '`');
  return value;
}
