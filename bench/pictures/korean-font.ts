/** Finds a font for Korean, without which every Korean picture has boxes in place of its text. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const advice =
  'Install one, such as the package fonts-nanum or fonts-noto-cjk, or set FONTCONFIG_FILE to a configuration that names a folder with one.';

/** Returns the name of a Korean font that fontconfig finds. Throws an error with advice if there is none. */
export const koreanFont = async (): Promise<string> => {
  let fonts: string;
  try {
    ({ stdout: fonts } = await promisify(execFile)('fc-list', [':lang=ko', 'family']));
  } catch (cause) {
    throw new Error('fontconfig is not installed: the command fc-list did not run.', { cause });
  }
  const [font = ''] = fonts.split('\n');
  if (font === '') throw new Error(`There is no Korean font: "fc-list :lang=ko" is empty. ${advice}`);
  return font;
};
