/** The API reference at `/docs`, built from the console's components and the gateway's OpenAPI document. */
import { render } from 'preact';
import { findWords } from './language/language.ts';
import { ReferenceApp } from './reference/app.tsx';

const place = document.getElementById('reference');
if ((await findWords()) && place !== null) render(<ReferenceApp />, place);
