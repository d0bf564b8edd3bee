import { hasInspector } from '../api.ts';
import { texts } from '../language/language.ts';
import { usePolled } from '../polled.ts';
import { token } from '../session.ts';

/** Where the gateway has the inspector. What stands behind the # is read by that page and sent to this gateway alone. */
export const InspectorLink = ({ callId }: { callId: string }) => {
  const t = texts.value.calls.one;
  const isThere = usePolled('inspector', hasInspector).value;
  if (isThere !== true || token.value === null) return null;
  const behind = new URLSearchParams({ token: token.value, call: callId });
  return (
    <a class="button" href={`/inspect#${behind}`} target="_blank" rel="noopener noreferrer">
      {t.inspector} <span class="unseen">({t.newTab})</span>
    </a>
  );
};
