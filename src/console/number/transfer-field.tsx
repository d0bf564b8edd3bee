/** Field for the allowed transfer targets of a number (guides/transfer.md): whole numbers, and prefixes with `*`. */
import { transferDurationBounds, usualTransferDurationSec } from '#src/domain/transfer-targets.ts';
import type { PhoneNumber } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { LinesField } from '../parts/lines-field.tsx';
import { CheckField, TextField } from '../parts/field.tsx';
import { wholeNumber, type FieldsOf, type FormValues } from '../parts/form.ts';

type Policy = Pick<PhoneNumber, 'transfer_to' | 'record_transfers' | 'transfer_max_duration_sec'>;

export const transferValues = (policy: Policy) => ({
  transfer_to: (policy.transfer_to ?? []).join('\n'),
  record_transfers: policy.record_transfers,
  transfer_max_duration_sec: String(policy.transfer_max_duration_sec),
});

/**
 * Parses the targets, including formatted numbers. Invalid targets are sent unchanged, so that the API rejects them.
 */
const targetsIn = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((target) => (/^[\d\s()*-]+$/.test(target) ? target.replaceAll(/[\s()-]/g, '') : target.trim()))
    .filter((target) => target !== '');

export const transferIn = (values: ReturnType<typeof transferValues>): Policy => {
  const targets = targetsIn(values.transfer_to);
  return {
    transfer_to: targets.length === 0 ? null : targets,
    record_transfers: values.record_transfers,
    // An empty field means the default.
    transfer_max_duration_sec:
      wholeNumber('transfer_max_duration_sec', values.transfer_max_duration_sec) ?? usualTransferDurationSec,
  };
};

export const TransferFields = ({ form }: { form: FieldsOf<FormValues> }) => {
  const t = texts.value.numbers.transfer;
  return (
    <>
      <LinesField
        form={form}
        name="transfer_to"
        label={t.label}
        hint={t.hint}
        placeholder="0212345*"
        entries={targetsIn}
        isOptional
      />
      <TextField
        form={form}
        name="transfer_max_duration_sec"
        mode="numeric"
        label={t.maxDuration}
        hint={texts.value.numbers.policy.seconds(...transferDurationBounds)}
      />
      <CheckField form={form} name="record_transfers" label={t.record} />
    </>
  );
};
