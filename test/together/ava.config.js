import each from '../../ava.config.js';
import { filesTogether, together } from '../helpers/together/files.ts';

const names = Object.keys(together);

/** The small files of a folder in one process: starting one for each costs more than most of them do. */
export default {
  ...each,
  files: [
    ...each.files,
    ...names.flatMap((name) => filesTogether(name)).map((path) => `!${path}`),
    ...names.map((name) => `test/together/${name}.ts`),
  ],
};
