import { texts } from '../language/language.ts';
import { ChoiceField, SelectField } from '../parts/field.tsx';
import type { Form } from '../parts/form.ts';
import {
  changesTo,
  presetNamed,
  presetOfKind,
  providerPresets,
  setByPreset,
  trunkKindNamed,
  trunkKinds,
  trunkPresets,
  type PresetName,
  type TrunkKind,
} from './presets.ts';
import { headerNames, trunkValues, type TrunkValues } from './trunk-fields.tsx';

/** Choices of the user: the kind of the trunk, and a preset. */
export type TrunkChoice = { kind: TrunkKind; preset: PresetName | undefined };

/**
 * Chooses the far end of the trunk and, for providers, a preset. A choice changes only the settings of its preset; values
 * that the user typed remain.
 */
export const TrunkChoiceFields = ({
  form,
  chosen,
  choose,
}: {
  form: Form<TrunkValues>;
  chosen: TrunkChoice;
  choose: (choice: TrunkChoice) => void;
}) => {
  const t = texts.value.trunks;
  const { kind, preset } = chosen;
  const change = (next: TrunkChoice): void => {
    const changes = changesTo(next.preset, { before: preset, values: form.values, usual: trunkValues() });
    for (const [field, changed] of Object.entries(changes)) form.set(field, changed);
    choose(next);
  };
  const values = { kind: kind as string, preset: preset ?? '' };
  const choice = {
    ...form,
    values,
    tried: values,
    set(name: string, value: string | boolean): void {
      const text = String(value);
      if (name === 'preset') return change({ kind, preset: presetNamed(text) });
      const next = trunkKindNamed(text);
      return change({ kind: next, preset: presetOfKind(next) });
    },
  };
  return (
    <>
      <ChoiceField
        form={choice}
        name="kind"
        label={t.kind}
        choices={trunkKinds.map((one) => ({ value: one, label: t.kinds[one], hint: t.kindHints[one] }))}
      />
      {kind === 'provider' && (
        <SelectField
          form={choice}
          name="preset"
          label={t.presets.label}
          hint={t.presets.hint}
          options={[
            ['', t.presets.none],
            ...providerPresets.map((name): [string, string] => [name, t.presets.names[name]]),
          ]}
        />
      )}
      <div role="status">{preset !== undefined && <PresetFacts form={form} chosen={preset} />}</div>
    </>
  );
};

/** Lists the settings of the preset that have not been changed since, and the remaining manual steps. */
const PresetFacts = ({ form: { values }, chosen }: { form: Form<TrunkValues>; chosen: PresetName }) => {
  const t = texts.value.trunks;
  const [source] = trunkPresets[chosen].sources;
  const shown: Readonly<Record<string, string>> = {
    register: values.register ? t.presets.yes : t.presets.no,
    inbound_auth: values.inbound_auth === 'digest' ? t.auth.digest : t.auth.none,
    number_format: Object.entries(t.format).find(([format]) => format === values.number_format)?.[1] ?? '',
    caller_id: Object.entries(headerNames).find(([header]) => header === values.caller_id)?.[1] ?? '',
    host: values.host,
    codecs: values.codecs,
    transport: values.transport.toUpperCase(),
  };
  const fields = Object.entries(t.fields).filter(([field]) => setByPreset(chosen, values).includes(field));
  return (
    <div class="preset">
      <p>{t.presets.notes[chosen]}</p>
      {fields.length > 0 && (
        <dl class="facts" aria-label={t.presets.set}>
          {fields.map(([field, label]) => (
            <div key={field}>
              <dt>{label}</dt>
              <dd>{shown[field]}</dd>
            </div>
          ))}
        </dl>
      )}
      {source !== undefined && (
        <p>
          <a href={source} target="_blank" rel="noopener noreferrer">
            {t.presets.source}
          </a>
        </p>
      )}
    </div>
  );
};
