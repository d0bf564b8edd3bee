/** What the one who is signed in may do: a viewer sees no button that would be refused. */
import { computed, signal } from '@preact/signals';
import { getCurrentToken } from './api.ts';
import type { AdminToken } from './api/records.ts';

/** Null until it is known. */
export const role = signal<AdminToken['role'] | null>(null);

export const mayChange = computed(() => role.value === 'admin');

export const learnRole = async (): Promise<void> => {
  role.value = (await getCurrentToken()).role;
};
