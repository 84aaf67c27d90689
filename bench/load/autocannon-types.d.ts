/** Types of the parts of autocannon 9 in use; the package has none. */
declare module 'autocannon' {
  function autocannon(options: autocannon.Options): Promise<autocannon.Result>;
  namespace autocannon {
    interface Request {
      method: string;
      path: string;
      body?: string;
      headers?: Record<string, string>;
      setupRequest?: (request: Request) => Request;
    }
    interface Options {
      url: string;
      connections: number;
      /** Seconds. */
      duration: number;
      /** Seconds a request may take. */
      timeout: number;
      requests: Request[];
    }
    interface Result {
      /** Seconds. */
      duration: number;
      errors: number;
      non2xx: number;
      requests: { total: number };
      /** Milliseconds. */
      latency: { p50: number; p99: number };
    }
  }
  export = autocannon;
}
