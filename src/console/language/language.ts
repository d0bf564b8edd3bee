/** The language of the console: the browser's, until somebody chooses. Remembered on this device. */
import { computed, effect, signal } from '@preact/signals';
import { gateways, tokens, workspace } from './ko/administration.ts';
import { audit } from './ko/audit.ts';
import { callList } from './ko/call-list.ts';
import { calls } from './ko/calls.ts';
import { trial, trunks, webhooks } from './ko/connections.ts';
import { numbers } from './ko/numbers.ts';
import { phone } from './ko/phone.ts';
import { replay } from './ko/replay.ts';
import { sip } from './ko/sip.ts';
import { shell } from './ko/shell.ts';
import { en, type ConsoleLanguage, type Texts } from './texts.ts';

const ko: Texts = {
  shell,
  calls,
  callList,
  replay,
  sip,
  numbers,
  trial,
  webhooks,
  trunks,
  audit,
  workspace,
  tokens,
  gateways,
  phone,
};

export const catalogues: Readonly<Record<ConsoleLanguage, Texts>> = { en, ko };

const place = 'trunkline.language';

const isKnown = (name: string | undefined): name is ConsoleLanguage => name === 'en' || name === 'ko';

const ofBrowser = (): ConsoleLanguage =>
  navigator.languages.map((tag) => tag.split('-')[0]).find(isKnown) ?? 'en';

const remembered = localStorage.getItem(place) ?? undefined;

export const language = signal<ConsoleLanguage>(isKnown(remembered) ? remembered : ofBrowser());

effect(() => {
  document.documentElement.lang = language.value;
});

export const speak = (chosen: ConsoleLanguage): void => {
  localStorage.setItem(place, chosen);
  language.value = chosen;
};

/** Every text, in the language that is spoken now. */
export const texts = computed((): Texts => catalogues[language.value]);
