/** Load of a gateway's process: shares from 0 to 1, and the delay of its timers in milliseconds. */
export type GatewayLoad = { utilization: number; memory: number; delayMs: number };

/** Version and load of a gateway, which it stores with each renewal of its registration. */
export type GatewayCondition = { version: string; load: GatewayLoad };
