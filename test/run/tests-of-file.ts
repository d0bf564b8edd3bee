/** `ava` of one test file of `test/together` (`quick-imports.mjs`). `?file=` has the path of the file; '' for helpers. */
import { testOf } from './together.ts';

export default testOf(new URL(import.meta.url).searchParams.get('file') ?? '');
