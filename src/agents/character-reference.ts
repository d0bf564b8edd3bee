/** Character references of HTML and XML, such as `&quot;` and `&#39;`. */

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  middot: '·',
};

/**
 * Returns the character for `name`, the text between `&` and `;`. For an unknown name, returns the reference itself.
 */
export const decodeReference = (reference: string, name = ''): string => {
  if (!name.startsWith('#')) return named[name.toLowerCase()] ?? reference;
  const codePoint = /^#x/iu.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return codePoint > 0x10_ff_ff ? '' : String.fromCodePoint(codePoint).toWellFormed();
};
