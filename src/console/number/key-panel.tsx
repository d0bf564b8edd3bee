import { useState } from 'preact/hooks';
import type { PhoneNumber } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { keyOf, newKeyOf } from '../known-keys.ts';
import { Action } from '../parts/action.tsx';
import { ForAdmins } from '../parts/for-admins.tsx';
import { Card } from '../parts/page.tsx';
import { CopyButton } from '../parts/secret.tsx';
import { dayAndTime } from '../parts/when.tsx';

/** Copies, reveals and reissues the number's key (guides/design/administration.md, "Number keys"). */
export const KeyPanel = ({ number, onIssued }: { number: PhoneNumber; onIssued: () => void }) => {
  const t = texts.value.numbers.key;
  const [shown, setShown] = useState<string>();
  const { id, key } = number;
  const issue = async (): Promise<void> => {
    setShown(await newKeyOf(id));
    onIssued();
  };
  if (key === null)
    return (
      <Card title={t.title} lead={t.lead}>
        <p>{t.none}</p>
        <Action key="issue" look="primary" label={t.issue} act={issue} />
      </Card>
    );
  return (
    <Card title={t.title} lead={t.lead}>
      <p class="key">
        {shown === undefined ? (
          <code>
            gw_live_<span aria-hidden="true">••••••••••••••••</span>
            {key.tail}
            <span class="unseen">{t.hidden}</span>
          </code>
        ) : (
          <code>{shown}</code>
        )}
      </p>
      <p class="hint">
        {t.issuedAt(dayAndTime(key.issued_at))}. {key.recoverable ? t.audited : t.lostForever}
      </p>
      <ForAdmins>
        <div class="buttons">
          {key.recoverable && <CopyButton read={() => keyOf(id)} />}
          {key.recoverable && shown === undefined && (
            <Action key="reveal" label={t.reveal} act={async () => setShown(await keyOf(id))} />
          )}
          {shown !== undefined && (
            <button type="button" onClick={() => setShown(undefined)}>
              {t.hide}
            </button>
          )}
          <Action
            key="reissue"
            look="danger"
            label={t.reissue}
            asked={{ title: t.reissueTitle, text: t.reissueText }}
            act={issue}
          />
        </div>
      </ForAdmins>
    </Card>
  );
};
