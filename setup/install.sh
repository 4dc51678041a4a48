#!/bin/sh
# Installs what is missing: Debian packages (as root or through sudo) and the Python environment .venv. Does nothing where all
# is there. Usage: setup/install.sh [debian|python|python-new]...   (default: debian python)
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- debian python

list() { sed -e 's/#.*//' -e '/^ *$/d' "$1"; }

install_debian() {
  missing=""
  for package in $(list setup/debian.txt); do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  echo "Installing Debian packages:$missing"
  sudo=""
  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get update -qq
  # shellcheck disable=SC2086
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing >build-apt.log 2>&1 || {
    tail -n 30 build-apt.log >&2
    echo "apt-get failed; the whole output is in build-apt.log" >&2
    exit 1
  }
  rm -f build-apt.log
}

# A Python environment, made again when its lists change. What is in the second list comes without what it asks for.
environment() {  # folder list python [list]
  stamp="$1/.installed"
  if [ -f "$stamp" ] && cat "$2" ${4:+"$4"} | cmp -s - "$stamp"; then return 0; fi
  echo "Making $1 with $3 ($2)"
  [ -x "$1/bin/python" ] || "$3" -m venv "$1"
  "$1/bin/python" -m pip install --quiet --disable-pip-version-check -r "$2"
  [ -z "${4:-}" ] || "$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -r "$4"
  cat "$2" ${4:+"$4"} >"$stamp"
}

first_python() {
  for candidate in "$@"; do
    if command -v "$candidate" >/dev/null 2>&1 && "$candidate" -c 'import venv' >/dev/null 2>&1; then
      command -v "$candidate"
      return 0
    fi
    for found in "$HOME"/.pyenv/versions/"${candidate#python}"*/bin/"$candidate"; do
      if [ -x "$found" ]; then
        echo "$found"
        return 0
      fi
    done
  done
  return 1
}

for what in "$@"; do
  case "$what" in
    debian) install_debian ;;
    python)
      python=$(first_python python3.11 python3) || { echo "No Python 3.11 found" >&2; exit 1; }
      environment .venv setup/python.txt "$python" setup/python_weights.txt
      ;;
    python-new)
      if [ -n "${TREADLE_PYTHON_NEW:-}" ]; then python=$TREADLE_PYTHON_NEW
      else python=$(first_python python3.14 python3.13 python3.12) || { echo "No newer Python found; the newest JAX is not tested"; continue; }
      fi
      environment .venv-new setup/python_new.txt "$python"
      ;;
    *) echo "usage: setup/install.sh [debian|python|python-new]..." >&2; exit 2 ;;
  esac
done
