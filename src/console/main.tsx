import { render } from 'preact';
import { App } from './app.tsx';
import { findWords } from './language/language.ts';

await findWords();
const place = document.getElementById('console');
if (place !== null) render(<App />, place);
