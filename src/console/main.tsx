import { render } from 'preact';
import { App } from './app.tsx';
import { findWords } from './language/language.ts';

const place = document.getElementById('console');
if ((await findWords()) && place !== null) render(<App />, place);
