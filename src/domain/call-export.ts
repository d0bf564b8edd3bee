/** The file of calls that a list shows. */

/** More than a spreadsheet is any use for; whoever needs all of them asks for call records. */
export const mostExported = 50_000;

/** The last line of a file that has no room for all calls begins with it. */
export const notAllExported = `Only the first ${mostExported} calls are here: narrow the search, or ask for call records.`;
