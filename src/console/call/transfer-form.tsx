/** Form that transfers the other party of a call in progress to a person (guides/transfer.md). */
import { transferRingBounds, usualTransferRingSec } from '#src/domain/in-call-request.ts';
import { transferCall } from '../api.ts';
import type { Call, PhoneNumber } from '../api/records.ts';
import { withKeyOf } from '../known-keys.ts';
import { texts } from '../language/language.ts';
import { AreaField, ChoiceField, FormBody, SelectField, TextField } from '../parts/field.tsx';
import { useForm, wholeNumber, wrongField } from '../parts/form.ts';
import { linkTo } from '../shown-page.ts';

const nothingAsked = {
  to: '',
  mode: 'cold',
  say: '',
  briefing: '',
  accept_key: '',
  ring_timeout_sec: String(usualTransferRingSec),
  on_failure: 'resume',
};

/** Returns the typed text; `null` if it is empty. */
const typed = (text: string): string | null => text.trim() || null;

/** Returns the request body. */
const transferIn = (values: typeof nothingAsked): Parameters<typeof transferCall>[2] => {
  if (values.to.trim() === '') throw wrongField('to', 'This is required.');
  const isWarm = values.mode === 'warm';
  return {
    to: values.to,
    mode: isWarm ? 'warm' : 'cold',
    say: typed(values.say),
    ...(isWarm ? { briefing: typed(values.briefing), accept_key: typed(values.accept_key) } : {}),
    ring_timeout_sec: wholeNumber('ring_timeout_sec', values.ring_timeout_sec) ?? usualTransferRingSec,
    on_failure: values.on_failure === 'hang_up' ? 'hang_up' : 'resume',
  };
};

/** Shown instead of the form until an admin allows transfer targets. */
const NobodyYet = ({ numberId }: { numberId: string }) => {
  const t = texts.value.calls.one.acts.transfer;
  return (
    <p class="hint">
      {t.nobody} <a href={linkTo('numbers', numberId, 'settings')}>{t.allow}</a>
    </p>
  );
};

export const TransferForm = ({
  call,
  number,
  onDone,
}: {
  call: Call;
  /** The call's number; undefined while it is loaded. */
  number: PhoneNumber | undefined;
  onDone: () => void;
}) => {
  const t = texts.value.calls.one.acts.transfer;
  const form = useForm(
    nothingAsked,
    async (values) => {
      const body = transferIn(values);
      await withKeyOf(call.number_id, (key) => transferCall(key, call.id, body));
      onDone();
    },
    { isStored: false },
  );
  if (number === undefined) return null;
  const targets = number.transfer_to ?? [];
  if (targets.length === 0) return <NobodyYet numberId={number.id} />;
  const isWarm = form.values.mode === 'warm';
  return (
    <FormBody form={form} submit={t.submit} saved={null}>
      <TextField
        form={form}
        name="to"
        mode="tel"
        label={t.to}
        hint={t.allowed(targets.join(', '))}
        suggestions={targets.filter((target) => !target.endsWith('*'))}
      />
      <ChoiceField
        form={form}
        name="mode"
        label={t.mode}
        choices={[
          { value: 'cold', label: t.cold, hint: t.coldHint },
          { value: 'warm', label: t.warm, hint: t.warmHint },
        ]}
      />
      <AreaField form={form} name="say" rows={2} label={t.say} hint={t.sayHint} isOptional />
      {isWarm && (
        <AreaField form={form} name="briefing" rows={2} label={t.briefing} hint={t.briefingHint} isOptional />
      )}
      <div class="columns">
        {isWarm && (
          <TextField form={form} name="accept_key" label={t.acceptKey} hint={t.acceptKeyHint} isOptional />
        )}
        <TextField
          form={form}
          name="ring_timeout_sec"
          mode="numeric"
          label={t.ringTimeout}
          hint={texts.value.numbers.policy.seconds(...transferRingBounds)}
        />
        <SelectField
          form={form}
          name="on_failure"
          label={t.onFailure}
          options={[
            ['resume', t.resume],
            ['hang_up', t.hangUp],
          ]}
        />
      </div>
    </FormBody>
  );
};
