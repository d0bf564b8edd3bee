/** Allowed destinations: inherited, or the record's own kinds and prefixes. */
import { destinationKinds, type DestinationKind } from '#src/domain/destinations.ts';
import type { Destinations } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { CheckField, SelectField, TextField } from '../parts/field.tsx';
import type { FieldsOf, FormValues } from '../parts/form.ts';

type KindValues = Record<`to_${DestinationKind}`, boolean>;

/** Values for a checkbox per kind. */
const kindValues = (isAllowed: (kind: DestinationKind) => boolean): KindValues =>
  // `Object.fromEntries` loses the key names in its type.
  Object.fromEntries(destinationKinds.map((kind) => [`to_${kind}`, isAllowed(kind)])) as KindValues;

/** Without own destinations, the fields start with the inherited ones. */
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
  /** The inherited value for empty fields, once it is loaded. */
  below: Destinations | undefined;
  /** For a number, which can only narrow its workspace's destinations. */
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
