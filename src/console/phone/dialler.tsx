import { useId, useState } from 'preact/hooks';
import { listNumbers } from '../api.ts';
import { texts } from '../language/language.ts';
import { ForAdmins } from '../parts/for-admins.tsx';
import { usePolled } from '../polled.ts';
import { linkTo } from '../shown-page.ts';
import { callSound } from './call-sound.ts';
import { dial, phone, send } from './phone-connection.ts';
import { Icon } from './icons.tsx';
import { SoundChoice } from './sound-choice.tsx';

/** Form that calls a number of the workspace as a customer would. */
export const Dialler = () => {
  const t = texts.value.phone;
  const id = useId();
  const numbers = usePolled('phone-numbers', listNumbers).value;
  const [chosen, setChosen] = useState<string>();
  const { dialling, refusal, online } = phone.value;
  const to = chosen ?? numbers?.[0]?.number;
  const languageOf = (dialled: string): string =>
    numbers?.find(({ number }) => number === dialled)?.language ?? '';
  return (
    <>
      <p class="hint">
        {t.lead}
        <ForAdmins>
          {' '}
          <a href={linkTo('place-call')}>{t.otherNumbers}</a>
        </ForAdmins>
      </p>
      {numbers?.length === 0 && <p>{t.noNumbers}</p>}
      {numbers !== undefined && to !== undefined && dialling === null && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void dial(to);
          }}
        >
          <div class="field">
            <label for={id}>{t.dial}</label>
            <select id={id} value={to} onChange={(event) => setChosen(event.currentTarget.value)}>
              {numbers.map(({ number }) => (
                <option key={number}>{number}</option>
              ))}
            </select>
          </div>
          <SoundChoice language={languageOf(to)} />
          <button
            type="submit"
            class="primary"
            disabled={online !== 'now' || callSound.value.is === 'opening'}
          >
            <Icon name="handset" />
            {t.call}
          </button>
        </form>
      )}
      {dialling !== null && (
        <button type="button" class="danger" onClick={() => send({ type: 'hang_up' })}>
          <Icon name="down" />
          {t.hangUp}
        </button>
      )}
      <p role="status" class={refusal === null ? 'fine' : 'error'}>
        {dialling !== null && t.dialling(dialling)}
        {refusal !== null && t.refused[refusal]}
      </p>
    </>
  );
};
