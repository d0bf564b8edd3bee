/**
 * Short name of a statement: `insert call_fact`, `update node`, `select`. A fact whose type is in the text is named:
 * `insert call_fact of call.answered`; `of several call.answered` if the statement writes those of several calls.
 */

const writes = /\b(insert\s+into|update|delete\s+from)\s+"?(\w+)"?/gi;
const verbs: Readonly<Record<string, string>> = { i: 'insert', u: 'update', d: 'delete' };
/** Part of the statement by which a gateway declares another one dead. */
const declaration = /"lost_at" = coalesce/i;
const others = /^\s*(?:\/\*.*?\*\/)?\s*(\w+)/;
const typeOfFact = /insert into call_fact \([^)]*\)\s+select\s+[\w.]+,\s+[\w$.]+,\s+'([\w.]+)'/i;
const ofSeveral = /\bjson_to_recordset\(/i;

/** Comes first in the name of its statement. */
const factName = (text: string): string => {
  const [, type] = typeOfFact.exec(text) ?? [];
  return type === undefined
    ? 'insert call_fact'
    : `insert call_fact of ${ofSeveral.test(text) ? 'several ' : ''}${type}`;
};

const nameOf = (text: string): string => {
  if (declaration.test(text)) return declaresDead;
  const found = [...text.matchAll(writes)].map(
    ([, verb = '', table = '']) => `${verbs[verb.charAt(0).toLowerCase()]} ${table}`,
  );
  // The first two writes identify the statement.
  const [first, second] = new Set(found);
  if (second === 'insert call_fact') return `${factName(text)}, ${first}`;
  if (first === 'insert call_fact') return [factName(text), second].filter(Boolean).join(', ');
  if (first !== undefined) return [first, second].filter(Boolean).join(', ');
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

/** Name of the statement by which a gateway claims deliveries. */
export const claimsDeliveries = 'update skip, update event_delivery';

/** Reads, and statements such as `begin` and `set`, are not effects. */
export const isEffect = (name: string): boolean => /^(insert|update|delete|commit)/.test(name);
