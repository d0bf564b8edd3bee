/** Text that PostgreSQL can store and JSON can carry: without NUL and without lone surrogates. */

export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Replaces NUL by a space, and lone surrogates by U+FFFD. */
export const storable = (text: string): string => text.replaceAll('\0', ' ').toWellFormed();
