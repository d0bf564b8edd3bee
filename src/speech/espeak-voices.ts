/** Installed voices of espeak-ng in the languages of the gateway. */
import { baseLanguage, isLanguage } from '#src/domain/language.ts';
import type { Voice } from '#src/domain/voice.ts';
import { isVoice } from './is-voice.ts';
import { runProgram } from './run-program.ts';

const command = 'espeak-ng';
const timeoutMs = 15_000;
const maxBytes = 1024 * 1024;

/** Parses a line of the table: priority, language, age and gender, name with underscores for spaces, file, others. */
const voiceIn = (line: string): Voice[] => {
  const [priority = '', language = '', , title = ''] = line.trim().split(/\s+/);
  if (!/^\d+$/.test(priority) || !isLanguage(baseLanguage(language)) || !isVoice(command, language))
    return [];
  return [{ name: language, language, title: title.replaceAll('_', ' ') }];
};

export const espeakVoices = async (): Promise<Voice[]> => {
  const table = await runProgram({ command, arguments: ['--voices'], input: '', timeoutMs, maxBytes });
  const voices = table.toString('utf8').split('\n').flatMap(voiceIn);
  return [...new Map(voices.map((voice) => [voice.name, voice])).values()].toSorted((a, b) =>
    a.name.localeCompare(b.name, 'en'),
  );
};
