/**
 * Turn end: the judge of whether the other party has finished, and the shortest and the longest silence of a turn's
 * end.
 */
import { turnEndBounds, turnEndModes, usualTurnEnd, type TurnEndMode } from '#src/domain/turn-end.ts';
import type { CallPolicy } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { SelectField, TextField } from '../parts/field.tsx';
import { wholeNumber, type FieldsOf, type FormValues } from '../parts/form.ts';

type TurnEnd = NonNullable<CallPolicy['turn_end']>;

const numbers = [
  { name: 'min_silence_ms', bounds: turnEndBounds.minSilenceMs, usual: usualTurnEnd.minSilenceMs },
  { name: 'max_silence_ms', bounds: turnEndBounds.maxSilenceMs, usual: usualTurnEnd.maxSilenceMs },
] as const;

const textOf = (value: number | undefined): string => (value === undefined ? '' : String(value));

/** By their paths in the API. */
export const turnEndValues = (turnEnd: TurnEnd | null) => ({
  'turn_end.mode': turnEnd?.mode ?? '',
  'turn_end.min_silence_ms': textOf(turnEnd?.min_silence_ms),
  'turn_end.max_silence_ms': textOf(turnEnd?.max_silence_ms),
});

type Values = Record<keyof ReturnType<typeof turnEndValues>, string>;

const modeIn = (values: FormValues): TurnEndMode | undefined =>
  turnEndModes.find((mode) => mode === values['turn_end.mode']);

/** A number that is left empty is the usual one. */
export const turnEndOf = (values: Values): TurnEnd | null => {
  const mode = modeIn(values);
  if (mode === undefined) return null;
  const numberIn = (name: 'min_silence_ms' | 'max_silence_ms', usual: number): number =>
    wholeNumber(`turn_end.${name}`, values[`turn_end.${name}`]) ?? usual;
  return {
    mode,
    min_silence_ms: numberIn('min_silence_ms', usualTurnEnd.minSilenceMs),
    max_silence_ms: numberIn('max_silence_ms', usualTurnEnd.maxSilenceMs),
  };
};

/** `below` is what holds where nothing is chosen, where it is known already. */
export const TurnEndFields = ({
  form,
  below,
}: {
  form: FieldsOf<FormValues>;
  below: TurnEnd | undefined;
}) => {
  const t = texts.value.numbers.policy;
  const { byDefault } = texts.value.shell.form;
  const mode = modeIn(form.values);
  return (
    <>
      <SelectField
        form={form}
        name="turn_end.mode"
        label={t.turnEnd}
        hint={mode && t.turnEndHints[mode]}
        options={[
          ['', below === undefined ? byDefault : `${byDefault}: ${t.turnEndModes[below.mode]}`],
          ...turnEndModes.map((one): [string, string] => [one, t.turnEndModes[one]]),
        ]}
      />
      {mode !== undefined &&
        numbers.map(({ name, bounds: [from, to], usual }) => (
          <TextField
            key={name}
            form={form}
            name={`turn_end.${name}`}
            mode="numeric"
            label={t[name]}
            hint={t.milliseconds(from, to, usual)}
            placeholder={String(usual)}
          />
        ))}
    </>
  );
};
