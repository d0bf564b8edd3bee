/** Short name of a statement: `insert call_fact`, `update node`, `select`. */

const writes = /\b(insert\s+into|update|delete\s+from)\s+"?(\w+)"?/gi;
const verbs: Readonly<Record<string, string>> = { i: 'insert', u: 'update', d: 'delete' };
/** Part of the statement by which a gateway declares another one dead. */
const declaration = /"lost_at" = coalesce/i;
const others = /^\s*(?:\/\*.*?\*\/)?\s*(\w+)/;

const nameOf = (text: string): string => {
  if (declaration.test(text)) return declaresDead;
  const found = [...text.matchAll(writes)].map(
    ([, verb = '', table = '']) => `${verbs[verb.charAt(0).toLowerCase()]} ${table}`,
  );
  // The first two writes identify the statement.
  if (found.length > 0) return [...new Set(found)].slice(0, 2).join(', ');
  return others.exec(text)?.[1]?.toLowerCase() ?? 'nothing';
};

/** Names by text. Gateways repeat few texts very often; texts with values in them do not accumulate without limit. */
const known = new Map<string, string>();
const mostKnown = 2_000;

export const statementName = (text: string): string => {
  const before = known.get(text);
  if (before !== undefined) return before;
  const name = nameOf(text);
  if (known.size < mostKnown) known.set(text, name);
  return name;
};

/** Name of the statement by which a gateway declares another one dead, before it takes over its calls. */
export const declaresDead = 'update node as lost';

/** Name of the statement by which a process takes over the calls of another one. */
export const takesCalls = 'update call, update call_checkpoint';

/** Reads, and statements such as `begin` and `set`, are not effects. */
export const isEffect = (name: string): boolean => /^(insert|update|delete|commit)/.test(name);
