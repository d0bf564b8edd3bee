/** Formats a result as JUnit XML for continuous integration servers. */
import type { RehearsedCase } from '#src/domain/rehearsal.ts';
import { turnsIn, type Transcripts } from './transcripts.ts';

/** Escapes text for XML and removes characters that XML does not allow. */
const escaped = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;');

const failureOf = ({ outcome, passed, runs }: RehearsedCase, transcripts: Transcripts): string => {
  if (outcome === 'passed') return '';
  const messages = runs.flatMap(({ failures }) => failures.map(({ message }) => message));
  const told = outcome === 'flaky' ? `flaky: passed ${passed} of ${runs.length}; ` : '';
  const turns = runs
    .filter(({ failures }) => failures.length > 0)
    .flatMap(({ callId }) => turnsIn(transcripts, callId).map(({ role, text }) => `${role}: ${text}`));
  const message = escaped(`${told}${messages[0] ?? ''}`);
  return `<failure message="${message}">${escaped([...messages, ...turns].join('\n'))}</failure>`;
};

export const junitOf = (
  suiteName: string,
  { cases }: { cases: readonly RehearsedCase[] },
  transcripts: Transcripts,
): string => {
  const failed = cases.filter(({ outcome }) => outcome !== 'passed').length;
  const time = cases.reduce((sum, { tookSec }) => sum + tookSec, 0).toFixed(3);
  const name = escaped(suiteName);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${cases.length}" failures="${failed}" errors="0" time="${time}">`,
    `<testsuite name="${name}" tests="${cases.length}" failures="${failed}" errors="0" skipped="0" time="${time}">`,
    ...cases.map(
      (one) =>
        `<testcase classname="${name}" name="${escaped(one.name)}" time="${one.tookSec.toFixed(3)}">${failureOf(one, transcripts)}</testcase>`,
    ),
    '</testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
};
