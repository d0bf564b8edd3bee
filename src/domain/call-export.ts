/** CSV export of the call list. */

/** Maximum number of exported calls, set for spreadsheets; the number of stored calls is not limited. */
export const mostExported = 50_000;

/** Beginning of the last line of a truncated export. */
export const notAllExported = `Only the first ${mostExported} calls are here: narrow the search, or ask for call records.`;
