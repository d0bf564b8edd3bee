/** Roles of admin tokens. `viewer` may read all data except secrets; `admin` may also change data. */
export const adminRoles = ['admin', 'viewer'] as const;

export type AdminRole = (typeof adminRoles)[number];
