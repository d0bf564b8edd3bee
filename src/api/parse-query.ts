/**
 * The parameters of a query string, a list for a name that comes several times. Koa's own parser looks at all of them for
 * each of them: a query as long as headers may be took it a tenth of a second.
 */
export const parseQuery = (queryString: string): Readonly<Record<string, string | string[]>> => {
  const found = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(queryString)) {
    const values = found.get(name);
    if (values === undefined) found.set(name, [value]);
    else values.push(value);
  }
  return Object.fromEntries(
    [...found].map(([name, values]) => {
      const [first = ''] = values;
      return [name, values.length === 1 ? first : values] as const;
    }),
  );
};
