/** Titles of tests in threads that run several test files: each begins with its file, relative to `test`. */

/** Folder of the files that import several test files. */
export const togetherFolder = 'test/together/';

const separator = ' › ';

export const titleTogether = (file: string, title: string): string =>
  file === '' ? title : `${file}${separator}${title}`;

/** The file and title of a test that AVA reports for the file of a thread. Both are paths from the project's folder. */
export const ownTitle = (file: string, title: string): { file: string; title: string } => {
  const end = file.startsWith(togetherFolder) ? title.indexOf(separator) : -1;
  const own = title.slice(0, end);
  return end === -1 || !own.endsWith('.test.ts')
    ? { file, title }
    : { file: `test/${own}`, title: title.slice(end + separator.length) };
};
