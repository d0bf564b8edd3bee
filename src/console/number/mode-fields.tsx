/** Form fields for a mode with numeric parameters, which the API stores at dotted paths. */
import { texts } from '../language/language.ts';
import { SelectField, TextField } from '../parts/field.tsx';
import { wholeNumber, type FieldsOf, type FormValues } from '../parts/form.ts';

type Words<Mode extends string, Name extends string> = {
  label: string;
  modes: Readonly<Record<Mode, string>>;
  hints: Readonly<Record<Mode, string>>;
  numbers: Readonly<Record<Name, string>>;
};

/** Creates the fields. The mode `null` inherits the value. An empty parameter means its default. */
export const modeFields = <Path extends string, Mode extends string, Name extends string>({
  path,
  modes,
  numbers,
  hasNumbers,
  words,
}: {
  path: Path;
  modes: readonly Mode[];
  numbers: readonly { name: Name; bounds: readonly [from: number, to: number]; usual: number }[];
  /** Whether this mode has numeric parameters. */
  hasNumbers: (mode: Mode) => boolean;
  words: () => Words<Mode, Name>;
}) => {
  type Chosen = { mode: Mode } & Record<Name, number>;
  type Values = Record<`${Path}.${'mode' | Name}`, string>;

  const modeIn = (values: FormValues): Mode | undefined =>
    modes.find((mode) => mode === values[`${path}.mode`]);

  return {
    of: (chosen: Chosen | null): Values =>
      Object.fromEntries([
        [`${path}.mode`, chosen?.mode ?? ''],
        ...numbers.map(({ name }) => [`${path}.${name}`, chosen === null ? '' : String(chosen[name])]),
      ]) as Values,

    in(values: Values): Chosen | null {
      const mode = modeIn(values);
      if (mode === undefined) return null;
      const given = numbers.map(({ name, usual }) => [
        name,
        wholeNumber(`${path}.${name}`, values[`${path}.${name}`]) ?? usual,
      ]);
      return { mode, ...(Object.fromEntries(given) as Record<Name, number>) };
    },

    /** Renders the fields. `below` is the inherited value; undefined until it is loaded. */
    Fields: ({ form, below }: { form: FieldsOf<FormValues>; below: Chosen | undefined }) => {
      const t = words();
      const { byDefault } = texts.value.shell.form;
      const mode = modeIn(form.values);
      return (
        <div class="mode">
          <SelectField
            form={form}
            name={`${path}.mode`}
            label={t.label}
            hint={mode && t.hints[mode]}
            options={[
              ['', below === undefined ? byDefault : `${byDefault}: ${t.modes[below.mode]}`],
              ...modes.map((one): [string, string] => [one, t.modes[one]]),
            ]}
          />
          {mode !== undefined && hasNumbers(mode) && (
            <div class="columns">
              {numbers.map(({ name, bounds: [from, to], usual }) => (
                <TextField
                  key={name}
                  form={form}
                  name={`${path}.${name}`}
                  mode="numeric"
                  label={t.numbers[name]}
                  hint={texts.value.numbers.policy.milliseconds(from, to, usual)}
                  placeholder={String(usual)}
                />
              ))}
            </div>
          )}
        </div>
      );
    },
  };
};
