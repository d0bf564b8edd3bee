/** The API reference at `/docs`: made of the console's parts, and of the document that the gateway has of itself. */
import { render } from 'preact';
import { findWords } from './language/language.ts';
import { ReferenceApp } from './reference/app.tsx';

await findWords();
const place = document.getElementById('reference');
if (place !== null) render(<ReferenceApp />, place);
