// A PostgreSQL of one's own for a test, as the server's own tests have one.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freePort } from './server'

/** Whether this run is on PostgreSQL, too: said as to the server's tests. */
export const isOnPostgres = process.env.CONFAB_TEST_ENGINE === 'postgres'

export class Postgres {
  private constructor(
    private readonly process: ChildProcess,
    private readonly folder: string,
    readonly url: string,
  ) {}

  static async start(): Promise<Postgres> {
    const folder = mkdtempSync(join(tmpdir(), 'confab-e2e-postgres-'))
    const owner = ownerOf(folder)
    const data = join(folder, 'data')
    const bin = programs()
    const made = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']
    execFileSync(join(bin, 'initdb'), made, { ...owner, stdio: 'ignore', cwd: folder })
    const port = await freePort()
    const settings = ['-p', String(port), '-k', folder, '-c', 'fsync=off']
    const child = spawn(join(bin, 'postgres'), ['-D', data, ...settings], {
      ...owner,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await new Promise<void>((resolve, reject) => {
      let log = ''
      child.stderr?.on('data', (part) => {
        log += part
        if (log.includes('ready to accept connections')) resolve()
      })
      child.once('exit', (code) => reject(new Error(`postgres ended with ${code}: ${log}`)))
    })
    return new Postgres(child, folder, `postgres://postgres@127.0.0.1:${port}/postgres`)
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.process.once('exit', resolve))
    this.process.kill('SIGINT')
    await gone
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** The folder that has its programs: on the PATH, or where Debian's package puts them. */
function programs(): string {
  const folders = (process.env.PATH ?? '').split(':')
  const debian = '/usr/lib/postgresql'
  if (existsSync(debian)) {
    folders.push(...readdirSync(debian).map((version) => join(debian, version, 'bin')))
  }
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')))
  if (found === undefined) throw new Error('no initdb: scripts/install-test-tools brings it')
  return dirname(realpathSync(join(found, 'initdb')))
}

/** PostgreSQL does not run as root: there its package's own user does. */
function ownerOf(folder: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const id = (which: string) =>
    Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' }))
  const [uid, gid] = [id('-u'), id('-g')]
  chownSync(folder, uid, gid)
  return { uid, gid }
}
