import { getCall, listCallees, listNumbers, listTrunks, placeCall } from '../api.ts';
import type { Call, ListedCallee, PhoneNumber, Trunk } from '../api/records.ts';
import { language, texts } from '../language/language.ts';
import { withKeyOf } from '../known-keys.ts';
import { AreaField, FormBody, SelectField, TextField } from '../parts/field.tsx';
import { useForm, wrongField } from '../parts/form.ts';
import { LinesField } from '../parts/lines-field.tsx';
import { Empty, Loading, Page } from '../parts/page.tsx';
import { CalleeButtons } from '../place-call/callees.tsx';
import { newCall, newCallValues, spokenLanguage } from '../place-call/new-call.ts';
import { WhatHappens } from '../place-call/what-happens.tsx';
import { usePolled } from '../polled.ts';
import { go, linkTo, route } from '../shown-page.ts';

export const PlaceCallPage = () => {
  const t = texts.value.calls.place;
  const numbers = usePolled('numbers', listNumbers).value;
  const trunks = usePolled('trunks', listTrunks).value;
  const callees = usePolled('callees', listCallees).value;
  // The finished call that is to be placed again. A call that no longer exists fills nothing in.
  const again = route.value.query.get('again');
  const before = usePolled(`again/${again}`, async () => (again === null ? null : getCall(again)));
  const isComplete = before.value !== undefined || before.problem !== undefined;
  if (numbers === undefined || trunks === undefined || callees === undefined || !isComplete)
    return <Loading />;
  const [first] = numbers;
  return (
    <Page title={texts.value.shell.nav.place} lead={callees === null ? t.lead : t.leadSimulated}>
      {first === undefined ? (
        <Empty title={t.noNumbers} hint={t.noNumbersHint}>
          <a class="button primary" href={linkTo('numbers', 'new')}>
            {texts.value.numbers.add}
          </a>
        </Empty>
      ) : (
        <PlaceCallForm
          numbers={numbers}
          first={first}
          trunks={trunks}
          callees={callees}
          before={before.value ?? null}
        />
      )}
    </Page>
  );
};

/**
 * Names of the headers that trunks of this number send; null if no trunk can send any. Empty on real lines without
 * trunks of the workspace, where the trunk of the gateway's own settings may send some.
 */
const headersOf = (
  number: PhoneNumber,
  trunks: readonly Trunk[],
  isSimulated: boolean,
): readonly string[] | null => {
  const usable = trunks.filter(
    ({ id, enabled }) => enabled && (number.trunk_id === null || number.trunk_id === id),
  );
  const names = [...new Set(usable.flatMap(({ headers_out: headers }) => headers))];
  if (names.length > 0) return names;
  return isSimulated || trunks.length > 0 ? null : [];
};

const PlaceCallForm = ({
  numbers,
  first,
  trunks,
  callees,
  before,
}: {
  numbers: PhoneNumber[];
  first: PhoneNumber;
  trunks: readonly Trunk[];
  callees: readonly ListedCallee[] | null;
  /** The call that is placed again. */
  before: Call | null;
}) => {
  const t = texts.value.calls.place;
  const { query } = route.value;
  const asked = before?.number_id ?? query.get('number_id');
  const friendly = callees?.find(({ behaviour }) => behaviour === 'polite');
  const initial = newCallValues({
    number_id: (numbers.find(({ id }) => id === asked) ?? first).id,
    // A call on the simulated line disturbs nobody, so it is ready to be placed.
    to: before?.counterparty ?? query.get('to') ?? friendly?.number ?? '',
    instruction: before?.instruction ?? '',
  });
  const numberOf = (id: string): PhoneNumber => numbers.find((one) => one.id === id) ?? first;
  const headersFor = (id: string) => headersOf(numberOf(id), trunks, callees !== null);
  const form = useForm(initial, async (values) => {
    const number = numberOf(values.number_id);
    if (number.key === null) throw wrongField('number_id', t.noKey);
    const hasHeaders = headersFor(values.number_id) !== null;
    const call = newCall(hasHeaders ? values : { ...values, sip_headers: '' });
    // Idempotency key, so that a request repeated after a replacement of the number's key places no second call.
    const idempotencyKey = crypto.randomUUID();
    const placed = await withKeyOf(number.id, (key) => placeCall(key, call, idempotencyKey));
    go(linkTo('calls', placed.call_id));
  });
  const number = numberOf(form.values.number_id);
  const headers = headersFor(number.id);
  const { language: languageLabel, languages } = texts.value.numbers;
  const spoken = spokenLanguage(form.values, number);
  const preferred = language.value === spoken ? null : languages[language.value];
  return (
    <div class="place">
      <section class="card">
        <FormBody form={form} submit={t.submit} saved={null}>
          <SelectField
            form={form}
            name="number_id"
            label={t.number}
            hint={t.audited}
            options={numbers.map((one) => [one.id, one.number])}
          />
          <TextField
            form={form}
            name="to"
            mode="tel"
            label={t.to}
            hint={callees === null ? t.toHint : t.toHintSimulated}
            suggestions={(callees ?? []).map((callee) => callee.number)}
          />
          {callees !== null && <CalleeButtons form={form} callees={callees} />}
          <AreaField
            form={form}
            name="instruction"
            label={t.instruction}
            hint={t.instructionHint}
            isOptional
          />
          <div class="columns">
            <SelectField
              form={form}
              name="language"
              label={languageLabel}
              hint={t.languageHint(languages[spoken], preferred)}
              options={[['', t.languageOf(languages[number.language])], ...Object.entries(languages)]}
            />
            <TextField
              form={form}
              name="max_duration_sec"
              mode="numeric"
              label={t.duration}
              hint={t.durationHint}
              isOptional
            />
          </div>
          <LinesField
            form={form}
            name="metadata"
            label={t.metadata}
            hint={t.metadataHint}
            placeholder="order=A-1042"
            isOptional
          />
          {headers !== null && (
            <LinesField
              form={form}
              name="sip_headers"
              label={texts.value.calls.one.sipHeaders}
              hint={headers.length === 0 ? t.noHeaders : t.headersHint(headers.join(', '))}
              placeholder={`${headers[0] ?? 'X-Ticket'}: 1042`}
              isOptional
            />
          )}
        </FormBody>
      </section>
      <WhatHappens number={number} values={form.values} callees={callees} trunks={trunks} />
    </div>
  );
};
