/** The state of a chart in one word: `active.conversing`. Its charts have at most two levels. */
export const stateName = (value: unknown): string =>
  typeof value === 'object' && value !== null ? Object.entries(value).flat().join('.') : String(value);
