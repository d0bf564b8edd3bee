/** Forms for actions in a call in progress: send DTMF digits, say words, collect digits from the other party. */
import { longestKeyWaitSec, usualKeyWaitSec } from '#src/domain/in-call-request.ts';
import { collectKeys, pressKeys, say } from '../api.ts';
import type { Call } from '../api/records.ts';
import { withKeyOf } from '../known-keys.ts';
import { texts } from '../language/language.ts';
import { AreaField, CheckField, FormBody, TextField } from '../parts/field.tsx';
import { useForm, wholeNumber, wrongField, type Form, type FormValues } from '../parts/form.ts';

/** A form that requests an action in the call and clears itself after success. */
const useActForm = <Values extends FormValues>(
  call: Call,
  initial: Values,
  act: (values: Values) => (key: string) => Promise<unknown>,
): Form<Values> =>
  useForm(
    initial,
    async (values) => {
      await withKeyOf(call.number_id, act(values));
      return initial;
    },
    { isStored: false },
  );

export const KeysForm = ({ call }: { call: Call }) => {
  const t = texts.value.calls.one.acts.keys;
  const form = useActForm(call, { keys: '' }, ({ keys }) => {
    if (keys.trim() === '') throw wrongField('keys', 'This is required.');
    return (key) => pressKeys(key, call.id, keys.trim());
  });
  return (
    <FormBody form={form} submit={t.submit} saved={t.done}>
      <TextField form={form} name="keys" mode="tel" label={t.label} hint={t.hint} placeholder="1w204#" />
    </FormBody>
  );
};

export const SayForm = ({ call }: { call: Call }) => {
  const t = texts.value.calls.one.acts.say;
  const form = useActForm(call, { text: '', interrupt: false }, ({ text, interrupt }) => {
    if (text.trim() === '') throw wrongField('text', 'This is required.');
    return (key) => say(key, call.id, { text, interrupt });
  });
  return (
    <FormBody form={form} submit={t.submit} saved={t.done}>
      <AreaField form={form} name="text" rows={2} label={t.label} hint={t.hint} />
      <CheckField form={form} name="interrupt" label={t.interrupt} />
    </FormBody>
  );
};

export const CollectForm = ({ call }: { call: Call }) => {
  const t = texts.value.calls.one.acts.collect;
  const initial = { digits: '', finish: '', timeout_sec: String(usualKeyWaitSec), secret: false };
  const form = useActForm(call, initial, (values) => {
    const wanted = {
      digits: wholeNumber('digits', values.digits),
      finish: values.finish.trim() || null,
      timeout_sec: wholeNumber('timeout_sec', values.timeout_sec) ?? usualKeyWaitSec,
      secret: values.secret,
    };
    return (key) => collectKeys(key, call.id, wanted);
  });
  return (
    <FormBody form={form} submit={t.submit} saved={t.done}>
      <div class="columns">
        <TextField form={form} name="digits" mode="numeric" label={t.digits} hint={t.digitsHint} isOptional />
        <TextField form={form} name="finish" label={t.finish} hint={t.finishHint} isOptional />
        <TextField
          form={form}
          name="timeout_sec"
          mode="numeric"
          label={t.timeout}
          hint={texts.value.numbers.policy.seconds(1, longestKeyWaitSec)}
        />
      </div>
      <CheckField form={form} name="secret" label={t.secret} />
    </FormBody>
  );
};
