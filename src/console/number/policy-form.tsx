import { languages } from '#src/domain/language.ts';
import { voicemailPolicies } from '#src/domain/voicemail.ts';
import { listTrunks, updateNumber } from '../api.ts';
import type { NumberPolicy, PhoneNumber } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { languageOptions } from '../pages/new-number.tsx';
import { AreaField, FormBody, SelectField, TextField } from '../parts/field.tsx';
import { useForm, wholeNumber } from '../parts/form.ts';
import { Card } from '../parts/page.tsx';
import { usePolled } from '../polled.ts';

/** As the API bounds them. */
const bounds = {
  max_duration_sec: [60, 1800],
  default_duration_sec: [60, 1800],
  silence_timeout_sec: [5, 600],
  ring_timeout_sec: [5, 180],
} as const;

type SecondsField = keyof typeof bounds;

const secondsFields = Object.keys(bounds) as SecondsField[];

const textOf = (value: number | null): string => (value === null ? '' : String(value));

const valuesOf = (number: PhoneNumber) => ({
  language: number.language as string,
  greeting: number.greeting ?? '',
  max_duration_sec: textOf(number.max_duration_sec),
  default_duration_sec: textOf(number.default_duration_sec),
  silence_timeout_sec: textOf(number.silence_timeout_sec),
  ring_timeout_sec: textOf(number.ring_timeout_sec),
  max_concurrent_calls: textOf(number.max_concurrent_calls),
  recording_enabled: number.recording_enabled === null ? '' : String(number.recording_enabled),
  voicemail: number.voicemail as string,
  voicemail_message: number.voicemail_message ?? '',
  recognizer: number.recognizer ?? '',
  synthesizer: number.synthesizer ?? '',
  voice: number.voice ?? '',
  trunk_id: number.trunk_id ?? '',
});

const policyIn = (values: ReturnType<typeof valuesOf>): NumberPolicy => ({
  max_duration_sec: wholeNumber('max_duration_sec', values.max_duration_sec),
  default_duration_sec: wholeNumber('default_duration_sec', values.default_duration_sec),
  silence_timeout_sec: wholeNumber('silence_timeout_sec', values.silence_timeout_sec),
  ring_timeout_sec: wholeNumber('ring_timeout_sec', values.ring_timeout_sec),
  max_concurrent_calls: wholeNumber('max_concurrent_calls', values.max_concurrent_calls),
  recording_enabled: values.recording_enabled === '' ? null : values.recording_enabled === 'true',
});

/** What is not given here falls back to the workspace, then to the platform (decisions 9). */
export const PolicyForm = ({ number, onSaved }: { number: PhoneNumber; onSaved: () => void }) => {
  const t = texts.value.numbers.policy;
  const { byDefault } = texts.value.shell.form;
  const trunks = usePolled('trunks', listTrunks).value ?? [];
  const form = useForm(valuesOf(number), async (values) => {
    const saved = await updateNumber(number.id, {
      ...policyIn(values),
      language: languages.find((one) => one === values.language) ?? number.language,
      greeting: values.greeting.trim() || null,
      voicemail: voicemailPolicies.find((one) => one === values.voicemail) ?? number.voicemail,
      voicemail_message: values.voicemail_message.trim() || null,
      recognizer: values.recognizer.trim() || null,
      synthesizer: values.synthesizer.trim() || null,
      voice: values.voice.trim() || null,
      trunk_id: values.trunk_id || null,
    });
    onSaved();
    return valuesOf(saved);
  });
  return (
    <Card title={t.title} lead={t.lead}>
      <FormBody form={form} submit={texts.value.shell.form.save}>
        <SelectField
          form={form}
          name="language"
          label={texts.value.numbers.language}
          options={languageOptions()}
        />
        <AreaField form={form} name="greeting" rows={2} label={t.greeting} hint={t.greetingHint} isOptional />
        <SelectField
          form={form}
          name="voicemail"
          label={t.voicemail}
          options={voicemailPolicies.map((one) => [one, t.voicemailPolicies[one]])}
        />
        {form.values.voicemail === 'leave_message' && (
          <AreaField
            form={form}
            name="voicemail_message"
            rows={2}
            label={t.voicemail_message}
            hint={t.voicemailMessageHint}
            isOptional
          />
        )}
        <div class="columns">
          {secondsFields.map((name) => (
            <TextField
              key={name}
              form={form}
              name={name}
              mode="numeric"
              label={t[name]}
              hint={t.seconds(bounds[name][0], bounds[name][1])}
              placeholder={byDefault}
            />
          ))}
          <TextField
            form={form}
            name="max_concurrent_calls"
            mode="numeric"
            label={t.max_concurrent_calls}
            hint={t.count}
            placeholder={byDefault}
          />
          <SelectField
            form={form}
            name="recording_enabled"
            label={t.recording}
            options={[
              ['', byDefault],
              ['true', t.recordingOn],
              ['false', t.recordingOff],
            ]}
          />
          {(['recognizer', 'synthesizer', 'voice'] as const).map((name) => (
            <TextField
              key={name}
              form={form}
              name={name}
              label={t[name]}
              hint={t.speechHints[name]}
              placeholder={byDefault}
            />
          ))}
          <SelectField
            form={form}
            name="trunk_id"
            label={t.trunk}
            options={[['', t.trunkAny], ...trunks.map(({ id, name }): [string, string] => [id, name])]}
          />
        </div>
      </FormBody>
    </Card>
  );
};
