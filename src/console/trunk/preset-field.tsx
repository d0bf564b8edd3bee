import { texts } from '../language/language.ts';
import { SelectField } from '../parts/field.tsx';
import type { Form } from '../parts/form.ts';
import {
  changesTo,
  presetNamed,
  presetNames,
  setByPreset,
  trunkPresets,
  type PresetName,
} from './presets.ts';
import { headerNames, trunkValues, type TrunkValues } from './trunk-fields.tsx';

type FieldProps = {
  form: Form<TrunkValues>;
  chosen: PresetName | undefined;
  choose: (name: PresetName | undefined) => void;
};

/** Fills in a provider's settings and lists them. */
export const PresetField = ({ form, chosen, choose }: FieldProps) => {
  const t = texts.value.trunks.presets;
  const choice = {
    ...form,
    values: { preset: chosen ?? '' },
    tried: { preset: chosen ?? '' },
    set: (_: string, value: string | boolean) => {
      const next = presetNamed(String(value));
      const changes = changesTo(next, { before: chosen, values: form.values, usual: trunkValues() });
      for (const [field, changed] of Object.entries(changes)) form.set(field, changed);
      choose(next);
    },
  };
  return (
    <>
      <SelectField
        form={choice}
        name="preset"
        label={t.label}
        hint={t.hint}
        options={[['', t.none], ...presetNames.map((name): [string, string] => [name, t.names[name]])]}
      />
      <div role="status">{chosen !== undefined && <PresetFacts form={form} chosen={chosen} />}</div>
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
