/**
 * Fields for the speech engines and the voice of a number. A voice is selected or typed, and a sample of it can be
 * played.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { languages, type Language } from '#src/domain/language.ts';
import { listEngines, speakSample } from '../api.ts';
import { texts } from '../language/language.ts';
import { numberWords } from '../language/number-words.ts';
import { Action } from '../parts/action.tsx';
import { SelectField, TextField } from '../parts/field.tsx';
import type { FieldsOf, FormValues } from '../parts/form.ts';
import { usePolled } from '../polled.ts';

type Engines = Awaited<ReturnType<typeof listEngines>>;
type Voices = NonNullable<Engines['synthesizers'][number]['voices']>;
type Props = { form: FieldsOf<FormValues> };

const textOf = (form: Props['form'], name: string): string => {
  const value = form.values[name];
  return typeof value === 'string' ? value : '';
};

const numberLanguage = (form: Props['form']): Language =>
  languages.find((one) => one === textOf(form, 'language')) ?? 'ko';

/**
 * Returns the options. The default is the first engine. The stored value remains an option after the operator has
 * removed the engine.
 */
const optionsOf = (names: readonly string[], stored: string): [string, string][] => [
  ['', [texts.value.shell.form.byDefault, ...names.slice(0, 1)].join(': ')],
  ...names.map((name): [string, string] => [name, name]),
  ...(stored === '' || names.includes(stored)
    ? []
    : [[stored, texts.value.numbers.policy.notConfigured(stored)] satisfies [string, string]]),
];

export const SpeechFields = ({ form }: Props) => {
  const t = texts.value.numbers.policy;
  const engines = usePolled('engines', listEngines).value;
  if (engines === undefined) return null;
  const synthesizer = textOf(form, 'synthesizer');
  const speaking = synthesizer === '' ? engines.synthesizers.at(0)?.name : synthesizer;
  const voices = engines.synthesizers.find(({ name }) => name === speaking)?.voices ?? [];
  const language = numberLanguage(form);
  const isDeaf =
    engines.recognizers.length > 0 &&
    engines.recognizers.every(({ languages: understood }) => understood?.includes(language) === false);
  const choosing = {
    ...form,
    set(name: string, value: string | boolean) {
      form.set(name, value);
      // The voice is cleared when the engine changes, because a voice belongs to its synthesizer.
      form.set('voice', '');
    },
  };
  const choosingVoice = {
    ...form,
    set(name: string, value: string | boolean) {
      form.set(name, value);
      // A voice belongs to its synthesizer, so both are chosen together.
      if (synthesizer === '' && value !== '' && speaking !== undefined) form.set('synthesizer', speaking);
    },
  };
  return (
    <>
      <div class="columns">
        <SelectField
          form={form}
          name="recognizer"
          label={t.recognizer}
          hint={t.speechHints.recognizer}
          options={optionsOf(
            engines.recognizers.map(({ name }) => name),
            textOf(form, 'recognizer'),
          )}
        />
        <SelectField
          form={choosing}
          name="synthesizer"
          label={t.synthesizer}
          hint={t.speechHints.synthesizer}
          options={optionsOf(
            engines.synthesizers.map(({ name }) => name),
            synthesizer,
          )}
        />
        {speaking !== undefined && (
          <VoiceField
            key={speaking}
            form={choosingVoice}
            voices={voices}
            hint={synthesizer === '' ? numberWords.value.voiceOfDefault(speaking) : undefined}
          />
        )}
      </div>
      {isDeaf && (
        <p class="notice" role="status">
          {t.notUnderstood(texts.value.numbers.languages[language])}
        </p>
      )}
      <Sample form={form} />
    </>
  );
};

const another = '\u0000';

/**
 * Field for the voice. Voices of the number's language come first; voices that the engine does not list can be typed.
 */
const VoiceField = ({
  form,
  voices,
  hint,
}: Props & {
  voices: Voices;
  hint: string | undefined;
}) => {
  const t = texts.value.numbers.policy;
  const voice = textOf(form, 'voice');
  const isListed = voice === '' || voices.some(({ name }) => name === voice);
  const [isTyped, setTyped] = useState(!isListed);
  const language = textOf(form, 'language');
  const isOfLanguage = (one: Voices[number]): boolean => one.language.split('-')[0] === language;
  const sorted = [...voices.filter(isOfLanguage), ...voices.filter((one) => !isOfLanguage(one))];
  if (voices.length === 0)
    return (
      <TextField
        form={form}
        name="voice"
        label={t.voice}
        hint={hint ?? t.speechHints.voice}
        placeholder={texts.value.shell.form.byDefault}
      />
    );
  const chosen = {
    ...form,
    values: { ...form.values, voice: isTyped ? another : voice },
    set(name: string, value: string | boolean) {
      setTyped(value === another);
      form.set(name, value === another ? '' : value);
    },
  };
  return (
    <>
      <SelectField
        form={isTyped ? { ...chosen, errorOf: () => undefined } : chosen}
        name="voice"
        label={t.voice}
        hint={hint}
        options={[
          ['', texts.value.shell.form.byDefault],
          ...sorted.map(({ name, title }): [string, string] => [name, `${title} (${name})`]),
          [another, t.anotherVoice],
        ]}
      />
      {isTyped && <TextField form={form} name="voice" label={t.voiceName} hint={t.voiceNameHint} />}
    </>
  );
};

/** Plays audio to its end, or until the page closes. */
const usePlayer = (): ((sound: Blob) => Promise<void>) => {
  const stop = useRef(() => {});
  useEffect(() => () => stop.current(), []);
  return async (sound) => {
    stop.current();
    const url = URL.createObjectURL(sound);
    const audio = new Audio(url);
    stop.current = () => {
      audio.pause();
      URL.revokeObjectURL(url);
      stop.current = () => {};
    };
    audio.addEventListener('ended', () => stop.current(), { once: true });
    await audio.play();
  };
};

const longestSample = 200;

/** Speaks the greeting, or another sentence in the number's language, with the selected voice. */
const Sample = ({ form }: Props) => {
  const t = texts.value.numbers.policy;
  const play = usePlayer();
  const language = numberLanguage(form);
  const listen = async (): Promise<void> => {
    const synthesizer = textOf(form, 'synthesizer') || null;
    const text = textOf(form, 'greeting').trim().slice(0, longestSample) || t.sample[language];
    const voice = synthesizer === null ? null : textOf(form, 'voice').trim() || null;
    await play(await speakSample({ synthesizer, voice, language, text }));
  };
  return (
    <div class="buttons">
      <Action label={t.listen} act={listen} />
    </div>
  );
};
