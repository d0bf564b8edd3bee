/** Formats a tried turn as text, for a terminal. */
import type { KeysWanted } from '#machines/collected-keys.ts';
import type { Control } from '#machines/control.ts';
import type { TransferWanted } from '#machines/transfer.ts';
import type { AgentTrial, Exchange, TriedTurn } from '#src/domain/agent-trial.ts';
import { terminalEscapes } from '#src/domain/terminal-text.ts';

/** Maximum characters of a response's body. */
const shownCharacters = 1_200;

const printable = (text: string): string => terminalEscapes(text.replaceAll('\r\n', '\n'));

const onOneLine = (text: string): string => printable(text).replaceAll(/(?<!\s)\s*\n\s*/g, ' ⏎ ');

const indented = (text: string): string[] =>
  printable(text)
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => `      ${line}`);

const headerLines = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).map(([name, value]) => `      ${name}: ${onOneLine(value)}`);

const time = (milliseconds: number | null): string => (milliseconds === null ? 'none' : `${milliseconds} ms`);

const bodyLines = ({ body, bytes }: NonNullable<Exchange['received']>): string[] => {
  if (bytes === 0) return ['      (no body)'];
  const shown = body.slice(0, shownCharacters);
  const isWhole = shown.length === body.length && bytes <= Buffer.byteLength(body);
  return [...indented(shown), ...(isWhole ? [] : [`      … (${bytes} bytes in all)`])];
};

const exchangeLines = ({ sent, received, error }: Exchange): string[] => [
  `  → ${sent.method} ${onOneLine(sent.url)}  (${time(sent.atMs)})`,
  ...headerLines(sent.headers),
  ...indented(sent.body),
  ...(received === null
    ? []
    : [
        `  ← ${received.status}  (first byte ${time(received.firstByteMs)}, end ${time(received.endMs)})`,
        ...headerLines(received.headers),
        ...bodyLines(received),
      ]),
  ...(error === null ? [] : [`  ✗ ${onOneLine(error)}`]),
];

const controlWords = (control: Control): string => {
  switch (control.act) {
    case 'hang_up':
      return 'hangs up';
    case 'collect_keys':
      return `waits for keys${wantedWords(control.wanted)}`;
    case 'transfer':
      return `transfers to ${transferWords(control.transfer)}`;
    case 'change_language':
      return `goes on in the language ${control.language}`;
    // The only remaining control sends DTMF digits.
    default:
      return `presses ${control.keys}`;
  }
};

const transferWords = (wanted: TransferWanted): string =>
  [
    `${wanted.to}, ${wanted.mode}`,
    wanted.say === null ? '' : `, says before: ${onOneLine(wanted.say)}`,
    wanted.briefing === null ? '' : `, briefing: ${onOneLine(wanted.briefing)}`,
    wanted.acceptKey === null ? '' : `, taken by ${wanted.acceptKey}`,
    `, rings for ${wanted.ringTimeoutSec} s`,
    wanted.onFailure === 'hang_up' ? ', else hangs up' : '',
  ].join('');

const wantedWords = ({ digits, finish, timeoutSec, secret }: KeysWanted): string =>
  [
    digits === null ? '' : `, up to ${digits}`,
    finish === null ? '' : `, to the end by ${finish}`,
    `, ${timeoutSec} s for each`,
    secret ? ', in secret' : '',
  ].join('');

const spokenLines = ({ spoken }: TriedTurn): string[] =>
  spoken.length === 0
    ? ['  Nothing would be spoken.']
    : ['  Spoken:', ...spoken.map(({ text, atMs }) => `  ${time(atMs).padStart(10)}  ${onOneLine(text)}`)];

const controlLines = ({ controls }: TriedTurn): string[] =>
  controls.length === 0
    ? []
    : [
        '  Acts, each when what stands before it was heard:',
        ...controls.map(({ atMs, ...control }) => `  ${time(atMs).padStart(10)}  ${controlWords(control)}`),
      ];

const failureLines = ({ failure }: TriedTurn): string[] => {
  if (failure === null) return [];
  const { kind, detail, serverSays } = failure;
  return [
    `  Failed: ${kind}${detail === '' ? '' : `, ${onOneLine(detail)}`}`,
    ...(serverSays === null ? [] : [`  The server says: ${onOneLine(serverSays.slice(0, shownCharacters))}`]),
  ];
};

export const turnReport = (turn: TriedTurn): string =>
  [
    `Turn ${turn.turn}: ${onOneLine(turn.message)}`,
    ...turn.exchanges.flatMap(exchangeLines),
    ...spokenLines(turn),
    ...controlLines(turn),
    `  First byte ${time(turn.firstByteMs)}, first sentence ${time(turn.firstSentenceMs)}, end ${time(turn.endMs)}.`,
    ...turn.remarks.map((remark) => `  Remark: ${onOneLine(remark)}`),
    ...failureLines(turn),
    ...(turn.advice === null ? [] : [`  What to change: ${onOneLine(turn.advice)}`]),
    '',
    '',
  ].join('\n');

export const closingReport = ({ ok, notes, turns }: AgentTrial): string =>
  [
    ...notes.map((note) => `Note: ${note}`),
    ok
      ? `${turns.length === 1 ? 'The turn' : `All ${turns.length} turns`} got a reply.`
      : 'Not every turn got a reply.',
    '',
  ].join('\n');
