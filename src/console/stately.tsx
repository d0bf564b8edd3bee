/** The page at `/inspect`: the Stately inspector, which this page loads from stately.ai, in a frame or a window. */
import { render } from 'preact';
import { findWords } from './language/language.ts';
import { StatelyPage } from './stately/stately-page.tsx';

// The address may contain `#token=…&call=…`, which browsers do not send to a server. The token is removed from it.
const given = new URLSearchParams(location.hash.slice(1));
history.replaceState(history.state, '', location.pathname);

const place = document.getElementById('stately');
if ((await findWords()) && place !== null)
  render(<StatelyPage given={{ token: given.get('token') ?? '', call: given.get('call') ?? '' }} />, place);
