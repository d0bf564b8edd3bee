/** Words of the audit page alone, which are loaded with that page: the first page must stay small. */
import { computed } from '@preact/signals';
import { auditWords as en, type AuditWords } from './en/audit-words.ts';
import { auditWords as ko } from './ko/audit-words.ts';
import { language } from './language.ts';

/** Words in the current language. */
export const auditWords = computed((): AuditWords => (language.value === 'ko' ? ko : en));
