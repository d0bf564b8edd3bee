/** Allowed destinations: inherited, or the record's own kinds and prefixes. */
import { destinationKinds, type DestinationKind } from '#src/domain/destinations.ts';
import type { Destinations } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { CheckField, SelectField, TextField } from '../parts/field.tsx';
import type { FieldsOf, FormValues } from '../parts/form.ts';

type KindValues = Record<`to_${DestinationKind}`, boolean>;

/** Values of one checkbox for each kind of number. */
const kindValues = (isAllowed: (kind: DestinationKind) => boolean): KindValues =>
  // The cast restores the key names, which `Object.fromEntries` loses.
  Object.fromEntries(destinationKinds.map((kind) => [`to_${kind}`, isAllowed(kind)])) as KindValues;

/** Returns the values of the form. Without destinations of its own, a record starts with the inherited ones. */
export const destinationValues = (destinations: Destinations | null) => ({
  destination_choice: destinations === null ? '' : 'own',
  ...kindValues((kind) => destinations?.kinds.includes(kind) ?? false),
  'destinations.allowed_prefixes': destinations?.allowed_prefixes.join(', ') ?? '',
  'destinations.denied_prefixes': destinations?.denied_prefixes.join(', ') ?? '',
});

const prefixesIn = (text: string): string[] => text.split(/[,\s]+/).filter((prefix) => prefix !== '');

export const destinationsIn = (values: ReturnType<typeof destinationValues>): Destinations | null =>
  values.destination_choice === ''
    ? null
    : {
        kinds: destinationKinds.filter((kind) => values[`to_${kind}`]),
        allowed_prefixes: prefixesIn(values['destinations.allowed_prefixes']),
        denied_prefixes: prefixesIn(values['destinations.denied_prefixes']),
      };

export const DestinationFields = ({
  form,
  below,
  isNarrowing = false,
}: {
  form: FieldsOf<FormValues>;
  /** Inherited value of empty fields; undefined until it is loaded. */
  below: Destinations | undefined;
  /** Whether the record is a number, which can only restrict its workspace's destinations. */
  isNarrowing?: boolean;
}) => {
  const t = texts.value.numbers.destinations;
  const isOwn = form.values['destination_choice'] !== '';
  const begin = {
    ...form,
    set(name: string, value: string | boolean) {
      form.set(name, value);
      if (value === '' || below === undefined) return;
      for (const [kind, isAllowed] of Object.entries(kindValues((one) => below.kinds.includes(one))))
        form.set(kind, isAllowed);
    },
  };
  return (
    <fieldset class="group">
      <legend>{t.title}</legend>
      <SelectField
        form={begin}
        name="destination_choice"
        label={t.choice}
        hint={isNarrowing ? t.narrowing : t.hint}
        options={[
          ['', isNarrowing ? t.asWorkspace : t.asPlatform],
          ['own', t.own],
        ]}
      />
      {isOwn && (
        <>
          <div class="checks">
            {destinationKinds.map((kind) => (
              <CheckField key={kind} form={form} name={`to_${kind}`} label={t.kinds[kind]} />
            ))}
          </div>
          <div class="columns">
            {(['allowed_prefixes', 'denied_prefixes'] as const).map((name) => (
              <TextField
                key={name}
                form={form}
                name={`destinations.${name}`}
                label={t[name]}
                hint={t.prefixHint}
                isOptional
              />
            ))}
          </div>
        </>
      )}
      {!isOwn && below !== undefined && (
        <p class="hint">{t.inForce(below.kinds.map((kind) => t.kinds[kind]).join(', '))}</p>
      )}
    </fieldset>
  );
};
