/** CSV export of the call list. */

/** Limit for spreadsheets; call records have no limit. */
export const mostExported = 50_000;

/** Beginning of the last line if the export is truncated. */
export const notAllExported = `Only the first ${mostExported} calls are here: narrow the search, or ask for call records.`;
