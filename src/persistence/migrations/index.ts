/** All migrations, oldest first. A name never changes once it was released. */
import { AdminRoles } from './admin-roles.ts';
import { AuditNumbers } from './audit-numbers.ts';
import { BargeIn } from './barge-in.ts';
import { CallTransitions } from './call-transitions.ts';
import { DeadDeliveries } from './dead-deliveries.ts';
import { DeliveryClaims } from './delivery-claims.ts';
import { DeletedNumbers } from './deleted-numbers.ts';
import { DeliveryOrder } from './delivery-order.ts';
import { Initial } from './initial.ts';
import { KeyedAnswers } from './keyed-answers.ts';
import { Nodes } from './nodes.ts';
import { NumberEngines } from './number-engines.ts';
import { SipLegs } from './sip-legs.ts';
import { SipMessages } from './sip-messages.ts';
import { TrunkMedia } from './trunk-media.ts';
import { TrunkNumbersWithoutPlus } from './trunk-numbers-without-plus.ts';
import { TrunkSrtp } from './trunk-srtp.ts';
import { TrunkRouting } from './trunk-routing.ts';
import { Trunks } from './trunks.ts';
import { TransitionsUnchecked } from './transitions-unchecked.ts';
import { TruncatedRecordings } from './truncated-recordings.ts';
import { Voicemail } from './voicemail.ts';

export const migrations = [
  { name: '0001-initial', class: Initial },
  { name: '0002-trunks', class: Trunks },
  { name: '0003-voicemail', class: Voicemail },
  { name: '0004-number-engines', class: NumberEngines },
  { name: '0005-trunk-srtp', class: TrunkSrtp },
  { name: '0006-delivery-order', class: DeliveryOrder },
  { name: '0007-dead-deliveries', class: DeadDeliveries },
  { name: '0008-delivery-claims', class: DeliveryClaims },
  { name: '0009-keyed-answers', class: KeyedAnswers },
  { name: '0010-admin-roles', class: AdminRoles },
  { name: '0011-deleted-numbers', class: DeletedNumbers },
  { name: '0012-nodes', class: Nodes },
  { name: '0013-truncated-recordings', class: TruncatedRecordings },
  { name: '0014-trunk-numbers-without-plus', class: TrunkNumbersWithoutPlus },
  { name: '0015-sip-legs', class: SipLegs },
  { name: '0016-audit-numbers', class: AuditNumbers },
  { name: '0017-call-transitions', class: CallTransitions },
  { name: '0018-transitions-unchecked', class: TransitionsUnchecked },
  { name: '0019-trunk-media', class: TrunkMedia },
  { name: '0021-sip-messages', class: SipMessages },
  { name: '0022-barge-in', class: BargeIn },
  { name: '0023-trunk-routing', class: TrunkRouting },
];
