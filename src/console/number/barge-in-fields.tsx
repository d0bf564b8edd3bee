/** Barge-in: a mode, and the numbers of the one that has some. */
import { bargeInBounds, bargeInModes, usualBargeIn, type BargeInMode } from '#src/domain/barge-in.ts';
import type { CallPolicy } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { SelectField, TextField } from '../parts/field.tsx';
import { wholeNumber, type FieldsOf, type FormValues } from '../parts/form.ts';

type BargeIn = NonNullable<CallPolicy['barge_in']>;

const numbers = [
  { name: 'onset_ms', bounds: bargeInBounds.onsetMs, usual: usualBargeIn.onsetMs },
  { name: 'speech_ms', bounds: bargeInBounds.speechMs, usual: usualBargeIn.speechMs },
  { name: 'resume_ms', bounds: bargeInBounds.resumeMs, usual: usualBargeIn.resumeMs },
] as const;

const textOf = (value: number | undefined): string => (value === undefined ? '' : String(value));

/** By their paths in the API. */
export const bargeInValues = (bargeIn: BargeIn | null) => ({
  'barge_in.mode': bargeIn?.mode ?? '',
  'barge_in.onset_ms': textOf(bargeIn?.onset_ms),
  'barge_in.speech_ms': textOf(bargeIn?.speech_ms),
  'barge_in.resume_ms': textOf(bargeIn?.resume_ms),
});

type Values = Record<keyof ReturnType<typeof bargeInValues>, string>;

const modeIn = (values: FormValues): BargeInMode | undefined =>
  bargeInModes.find((mode) => mode === values['barge_in.mode']);

/** A number that is left empty is the usual one. */
export const bargeInOf = (values: Values): BargeIn | null => {
  const mode = modeIn(values);
  if (mode === undefined) return null;
  const numberIn = (name: 'onset_ms' | 'speech_ms' | 'resume_ms', usual: number): number =>
    wholeNumber(`barge_in.${name}`, values[`barge_in.${name}`]) ?? usual;
  return {
    mode,
    onset_ms: numberIn('onset_ms', usualBargeIn.onsetMs),
    speech_ms: numberIn('speech_ms', usualBargeIn.speechMs),
    resume_ms: numberIn('resume_ms', usualBargeIn.resumeMs),
  };
};

/** `below` is what holds where nothing is chosen, where it is known already. */
export const BargeInFields = ({
  form,
  below,
}: {
  form: FieldsOf<FormValues>;
  below: BargeIn | undefined;
}) => {
  const t = texts.value.numbers.policy;
  const { byDefault } = texts.value.shell.form;
  const mode = modeIn(form.values);
  return (
    <>
      <SelectField
        form={form}
        name="barge_in.mode"
        label={t.bargeIn}
        hint={mode && t.bargeInHints[mode]}
        options={[
          ['', below === undefined ? byDefault : `${byDefault}: ${t.bargeInModes[below.mode]}`],
          ...bargeInModes.map((one): [string, string] => [one, t.bargeInModes[one]]),
        ]}
      />
      {mode === 'pause' &&
        numbers.map(({ name, bounds: [from, to], usual }) => (
          <TextField
            key={name}
            form={form}
            name={`barge_in.${name}`}
            mode="numeric"
            label={t[name]}
            hint={t.milliseconds(from, to, usual)}
            placeholder={String(usual)}
          />
        ))}
    </>
  );
};
