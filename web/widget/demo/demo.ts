// The demo shop, `/widget/demo`: the customer's page here, the dashboard in a window beside it.

const asked = new URLSearchParams(location.search).get('app')
const given = document.querySelector<HTMLMetaElement>('meta[name="confab-app"]')?.content ?? ''
// The server puts the app's code there; a page that it did not touch still has the mark.
const app = asked ?? (given.startsWith('__') ? '' : given)
const base = new URL('..', location.href.replace(/demo\/?([?#].*)?$/, ''))

if (app) {
  const script = document.createElement('script')
  script.src = new URL('widget.js', base).href
  script.async = true
  script.dataset.app = app
  document.head.append(script)
} else {
  document.getElementById('missing')?.removeAttribute('hidden')
}

document.getElementById('beside')?.addEventListener('click', () => {
  const half = Math.floor(screen.availWidth / 2)
  const place = `popup,width=${half},height=${screen.availHeight},left=${half},top=0`
  open(new URL('dashboard/inbox/unassigned', base), 'confab-dashboard', place)
})
